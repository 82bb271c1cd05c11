import { InputError } from '@callspec/core'
import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/**
 * The message or delta in a body of an OpenAI-style server (`choices[0]`), and a value that is none as it is: scripts are often
 * copied out of a log.
 */
export function withoutChoices(value: PyDict): PyDict {
  const choices = value.get('choices')
  const first = isList(choices) ? choices[0] : undefined
  const inner = first !== undefined && isDict(first) ? (first.get('message') ?? first.get('delta')) : undefined
  return inner !== undefined && isDict(inner) ? inner : value
}

/** The members of `function` of an OpenAI-style tool or call, beside those that stand around it. */
export function withoutFunction(value: PyDict): PyDict {
  const inner = value.get('function')
  if (!isDict(inner)) return value
  const around = [...value].filter(([key]) => key !== 'function' && key !== 'type' && key !== 'index')
  return new Map<string, PyValue>([...around, ...inner])
}

/** @throws InputError for a member that nothing depends on: most likely a misspelt one */
export function refuseUnknown(value: PyDict, known: readonly string[], where: string): void {
  const unknown = [...value.keys()].find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw new InputError(`${where}.${unknown}`, `is unknown. Known there: ${known.join(', ')}.`)
}
