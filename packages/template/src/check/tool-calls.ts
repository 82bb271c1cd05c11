import { attempt, isDict, isList, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** The indexes of the messages with calls. */
export function messagesWithCalls(messages: readonly PyValue[]): readonly number[] {
  return messages.flatMap((message, index) => (callsOfMessage(message).length > 0 ? [index] : []))
}

/** The calls of a message as the API writes them: the function itself, or an object with it as `function`. */
export function callsOfMessage(message: PyValue): readonly PyDict[] {
  const calls = isDict(message) ? message.get('tool_calls') : null
  return isList(calls) ? calls.filter(isDict) : []
}

interface CalledFunction {
  readonly name: PyValue
  readonly arguments: PyValue
}

/** The name and arguments of a call. */
export function functionOf(call: PyDict): CalledFunction {
  const inner = call.get('function')
  const made = isDict(inner) ? inner : call
  return { name: made.get('name') ?? null, arguments: argumentsOf(made.get('arguments') ?? null) }
}

/** Arguments as a value, whether given as one or as JSON text. */
export function argumentsOf(given: PyValue): PyValue {
  if (typeof given !== 'string') return given
  const read = attempt(() => loads(given))
  return read.kind === 'returned' ? read.value : given
}

/** A tool that declares the arguments of a call and no others, so that a format that writes values as text can type them. */
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

/** Whether two values are equal, ignoring the order of keys. An int and a float are never equal. */
export function sameValue(left: PyValue, right: PyValue): boolean {
  if (isList(left))
    return isList(right) && left.length === right.length && left.every((item, at) => sameValue(item, right[at] ?? null))
  if (isDict(left)) {
    if (!isDict(right) || left.size !== right.size) return false
    return [...left].every(([key, item]) => right.has(key) && sameValue(item, right.get(key) ?? null))
  }
  return Object.is(left, right)
}
