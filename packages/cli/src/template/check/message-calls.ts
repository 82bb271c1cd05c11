import { attempt, isDict, isList, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** Places of the messages with calls. */
export function messagesWithCalls(messages: readonly PyValue[]): readonly number[] {
  return messages.flatMap((message, index) => (callsOfMessage(message).length > 0 ? [index] : []))
}

/** The functions that a message calls, as the API has them: bare, or within `function`. */
export function callsOfMessage(message: PyValue): readonly PyDict[] {
  const calls = isDict(message) ? message.get('tool_calls') : null
  return isList(calls) ? calls.filter(isDict) : []
}

/** Name and arguments of a call. */
export interface CalledFunction {
  readonly name: PyValue
  readonly arguments: PyValue
}

export function functionOf(call: PyDict): CalledFunction {
  const inner = call.get('function')
  const made = isDict(inner) ? inner : call
  return { name: made.get('name') ?? null, arguments: argumentsOf(made.get('arguments') ?? null) }
}

/** Arguments as a value, whether they came as one or as JSON text. */
export function argumentsOf(given: PyValue): PyValue {
  if (typeof given !== 'string') return given
  const read = attempt(() => loads(given))
  return read.kind === 'returned' ? read.value : given
}

/** A tool that declares just the arguments of a call, so that a format which writes values as text can type them. */
export function toolOfCall(call: PyDict): PyDict {
  const { name, arguments: given } = functionOf(call)
  const properties = isDict(given)
    ? [...given].map(([key, value]) => [key, new Map([['type', typeName(value)]])] as const)
    : []
  const parameters = new Map<string, PyValue>([
    ['type', 'object'],
    ['properties', new Map(properties)],
  ])
  return new Map<string, PyValue>([
    ['name', name],
    ['parameters', parameters],
  ])
}

function typeName(value: PyValue): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'integer'
  if (isList(value)) return 'array'
  return isDict(value) ? 'object' : typeof value
}
