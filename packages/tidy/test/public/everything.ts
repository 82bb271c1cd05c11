/* What a user can call that answers with an outcome, of all packages that rebuild a reference. */
export * from '@callspec/core'
export * from '@callspec/core/formats'
export * from '@callspec/core/grammar'
export * from '@callspec/core/identify'
export * from '@callspec/core/qwen-agent'
export * from '@callspec/metagpt'
export * from '@callspec/python/outcome'
export * from '@callspec/qwen-agent'
export {
  className,
  extractCode,
  fromPlain,
  hasChinese,
  isDict,
  isList,
  isLiteralDict,
  isLiteralList,
  isTagged,
  lstrip,
  pyIndex,
  pyLength,
  pySlice,
  rstrip,
  strip,
  toPlain,
  truthy,
} from '@callspec/python'
export type { Outcome, PyDict, PyList, PyLiteral, PyLiteralDict, PyValue } from '@callspec/python'
