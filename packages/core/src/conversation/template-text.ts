import { lstrip, rstrip, str, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { Refusal } from './conversation.ts'

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
 * The thought of an assistant message: the text `reasoning_content`, or what stands before the first `</think>` of its
 * content, behind the last `<think>` there. The content is then what follows the last `</think>`: a piece between two of
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
