import { dumps, str, isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { Refusal } from './conversation.ts'

/** A call of an assistant message. */
export interface MessageCall {
  /** Null where the message gives none. */
  readonly id: string | null
  readonly name: string
  /** A text or a map, as given; null where there is none. */
  readonly arguments: PyValue
  /** Whether the call has no member `arguments`. */
  readonly lacksArguments: boolean
  /** Whether name and arguments are members of the call itself, without `function` around them. */
  readonly isBare: boolean
}

/** Who speaks; empty where the message does not say. */
export function roleOf(message: PyDict | undefined): string {
  const role = message?.get('role')
  return typeof role === 'string' ? role : ''
}

/** What a message says, as Python's `str` prints it where it is no text; empty for null and for nothing. */
export function contentText(message: PyDict): string {
  const content = message.get('content') ?? null
  return content === null ? '' : str(content)
}

/**
 * A member of a message that a template puts in as it is.
 *
 * @throws Refusal for what is no text
 */
export function textMember(message: PyDict, key: string): string {
  const value = message.get(key)
  if (typeof value === 'string') return value
  throw new Refusal(
    `the member "${key}" of a message of role ${roleOf(message)} is not a text: this template takes a text only`,
  )
}

/** Whether the prompt is to end where the model speaks, in families that take it so unless they are told otherwise. */
export function asksForReply(options: PyDict): boolean {
  return !options.has('add_generation_prompt') || truthy(options.get('add_generation_prompt'))
}

/** The calls of a message; without the wrapper `function` where there is one. */
export function messageCalls(message: PyDict): readonly MessageCall[] {
  const calls = message.get('tool_calls') ?? null
  if (!isList(calls)) return []
  return calls.map((call): MessageCall => {
    if (!isDict(call)) throw new Refusal('a call in tool_calls is no object')
    const inner = call.get('function')
    const named = isDict(inner) ? inner : call
    const [id, name] = [call.get('id'), named.get('name')]
    if (typeof name !== 'string') throw new Refusal('a call in tool_calls has no name')
    const given = named.get('arguments')
    return {
      id: typeof id === 'string' ? id : null,
      name,
      arguments: given ?? null,
      lacksArguments: given === undefined,
      isBare: named === call,
    }
  })
}

/** Arguments as JSON text: a text as it is, a map as Python's `json.dumps` writes it. */
export function argumentsText(value: PyValue): string {
  return typeof value === 'string' ? value : dumps(value)
}

/**
 * The arguments of a call whose family takes a map only; nothing where the message does not mention any.
 *
 * @throws Refusal for whatever else stands there
 */
export function mapArguments({ name, arguments: given, lacksArguments }: MessageCall): PyDict {
  if (isDict(given)) return given
  if (lacksArguments) return new Map()
  throw new Refusal(`the arguments of ${name} are no map`)
}
