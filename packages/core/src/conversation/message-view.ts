import type { PyDict, PyValue } from '@callspec/python'
import { dumps, str, isDict, isList, truthy, lstrip, rstrip } from '@callspec/python'
import { Refusal } from './conversation.ts'

export interface MessageCall {
  /** Null where the message gives none. */
  readonly id: string | null
  readonly name: string
  /** A text or a map, as given; null if absent. */
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

/** Whether the prompt ends where the model speaks, in families where this is the default. */
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

/**
 * Name and arguments of a call that has them in its member `function`.
 *
 * @throws Refusal for one without a name or without arguments
 */
export function functionOfCall(call: PyValue): { readonly name: string; readonly given: PyValue } {
  const inner = isDict(call) ? (call.get('function') ?? null) : null
  const name = isDict(inner) ? inner.get('name') : undefined
  const given = isDict(inner) ? inner.get('arguments') : undefined
  if (typeof name === 'string' && given !== undefined) return { name, given }
  throw new Refusal('a call in tool_calls has no member "function" with a name and arguments')
}

/** Arguments as JSON text: a text as it is, a map as Python's `json.dumps` writes it. */
export function argumentsText(value: PyValue): string {
  return typeof value === 'string' ? value : dumps(value)
}

/**
 * The arguments of a call whose family takes a map only; nothing where the message does not mention any.
 *
 * @throws Refusal for any other value
 */
export function mapArguments({ name, arguments: given, lacksArguments }: MessageCall): PyDict {
  if (isDict(given)) return given
  if (lacksArguments) return new Map()
  throw new Refusal(`the arguments of ${name} are no map`)
}

/**
 * What a message says where a template prints it as Jinja does: the texts of a list of parts one after the other, null as
 * the word `None`, nothing where the message has no content.
 */
export function visibleText(message: PyDict): string {
  const content = message.get('content')
  if (content === undefined) return ''
  if (!isList(content)) return str(content)
  return content.map((part) => (typeof part === 'string' ? part : textOfPart(part))).join('')
}

function textOfPart(part: PyValue): string {
  return isDict(part) && part.get('type') === 'text' && part.has('text') ? str(part.get('text') ?? null) : ''
}

/** A member as Jinja prints it: nothing where it is missing, `None` for null. */
export function printedMember(dict: PyDict, key: string): string {
  const value = dict.get(key)
  return value === undefined ? '' : str(value)
}

/** What an assistant message thought and said. */
export interface ThoughtAndContent {
  readonly thought: string
  readonly content: string
}

/**
 * The thought of an assistant message: the text `reasoning_content`, or the text before the first `</think>` of its
 * content, after the last `<think>` there. The content is then what follows the last `</think>`: a piece between two of
 * them vanishes, as in the templates. Line feeds at the cuts are dropped; with `isStripped` at the far ends, too.
 */
export function thoughtAndContent(message: PyDict, said: string, isStripped = false): ThoughtAndContent {
  const given = message.get('reasoning_content')
  if (typeof given === 'string') return { thought: given, content: said }
  const close = said.indexOf('</think>')
  if (close < 0) return { thought: '', content: said }
  const before = rstrip(said.slice(0, close), '\n')
  const open = before.lastIndexOf('<think>')
  const thought = lstrip(open < 0 ? before : before.slice(open + '<think>'.length), '\n')
  const content = lstrip(said.slice(said.lastIndexOf('</think>') + '</think>'.length), '\n')
  return isStripped ? { thought: rstrip(thought, '\n'), content: rstrip(content, '\n') } : { thought, content }
}

/** What a loop of a template over a result goes through: the items of a list, the keys of a map. */
export function loopedItems(message: PyDict): readonly PyValue[] {
  const content = message.get('content')
  if (content === undefined) return []
  if (isList(content)) return content
  if (isDict(content)) return [...content.keys()]
  throw new Refusal('a result is neither a text nor a list')
}
