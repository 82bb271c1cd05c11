/* The same functions under the reference's names, raises included. */
export * from '@callspec/core/reference'
export * from '@callspec/metagpt/reference'
export {
  attempt,
  baseName,
  dumps,
  errorOf,
  fill,
  loads,
  loadsJson5,
  loadsLenient,
  Raise,
  readLiteral,
  repr,
  serviceError,
  str,
} from '@callspec/python'
export * from '@callspec/qwen-agent/reference'
