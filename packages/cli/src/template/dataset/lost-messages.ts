import { isDict, isList, dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { quoted } from '../../terminal.ts'
import type { Tally } from './finding.ts'
import type { Sample } from './sample.ts'

/** So many lines of a message are looked for. */
const LINES = 4
const THINK_END = '</think>'
/** Names under which engines and data sets keep what a model thought. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'thinking']

/** So many times a prompt is searched through in all; of what is asked afterwards nothing is told. */
const SEARCHES = 64

/** Tells which messages and thoughts leave no trace in the prompt. Linear in the prompt: × `SEARCHES` at most. */
export function findLostMessages(
  { where, messages }: Sample,
  { text, tally }: { readonly text: string; readonly tally: Tally },
): void {
  const isShown = createSearch(text)
  for (const [index, message] of messages.entries()) {
    const said = saidIn(message)
    const shown = said === '' ? null : isShown(said)
    if (shown !== null) tally.saw('messages')
    if (shown === false)
      tally.found({ rule: 'message-lost', where, message: index, detail: `${roleText(message)}: "${quoted(said)}"` })
    const thought = thoughtIn(message)
    const shownThought = thought === '' ? null : isShown(thought)
    if (shownThought !== null) tally.saw('thoughts')
    if (shownThought === false)
      tally.found({ rule: 'reasoning-lost', where, message: index, detail: `"${quoted(thought)}"` })
  }
}

/**
 * Whether a text, or a line of it, stands in the prompt, as it is or within JSON; null once too much was searched. What
 * comes in the order of the prompt is found without looking at any place twice.
 */
function createSearch(text: string): (said: string) => boolean | null {
  let [cursor, left] = [0, SEARCHES * text.length]
  const finds = (part: string): boolean => {
    const ahead = text.indexOf(part, cursor)
    left -= (ahead === -1 ? text.length : ahead) - cursor
    if (ahead !== -1) {
      cursor = ahead + part.length
      return true
    }
    left -= cursor
    return text.slice(0, cursor + part.length).includes(part)
  }
  return (said) => {
    if (left < 0) return null
    if (finds(said)) return true
    const lines = said.split('\n', LINES * 2).map((line) => line.trim())
    return lines
      .filter((line) => line !== '')
      .slice(0, LINES)
      .some((line) => finds(line) || finds(dumps(line).slice(1, -1)))
  }
}

function saidIn(message: PyDict): string {
  const content = textOf(message.get('content') ?? null).trim()
  const end = message.get('role') === 'assistant' ? content.lastIndexOf(THINK_END) : -1
  return end === -1 ? content : content.slice(end + THINK_END.length).trim()
}

function thoughtIn(message: PyDict): string {
  if (message.get('role') !== 'assistant') return ''
  const field = REASONING_FIELDS.map((name) => message.get(name)).find((each) => typeof each === 'string')
  if (typeof field === 'string') return field.trim()
  const content = textOf(message.get('content') ?? null)
  const end = content.lastIndexOf(THINK_END)
  return end === -1
    ? ''
    : content
        .slice(0, end)
        .replace(/^\s*<think>/, '')
        .trim()
}

/** A text, or the texts of parts. */
function textOf(content: PyValue): string {
  if (typeof content === 'string') return content
  if (!isList(content)) return ''
  return content
    .flatMap((part) => (isDict(part) && typeof part.get('text') === 'string' ? [part.get('text')] : []))
    .join('\n')
}

function roleText(message: PyDict): string {
  const role = message.get('role')
  return typeof role === 'string' ? quoted(role, 20) : 'message'
}
