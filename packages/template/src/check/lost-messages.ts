import { isDict, isList, dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { REASONING_FIELDS } from '../lint/index.ts'
import type { Tally } from './dataset-finding.ts'
import type { Sample } from './sample.ts'

/** How many lines of a message are searched for. */
const LINES = 4
const THINK_END = '</think>'

/** How many times in all a prompt may be searched through; texts after that are not judged. */
const SEARCHES = 64

/** Finds messages and reasoning that the prompt does not contain. Linear in the prompt: × `SEARCHES` at most. */
export function findLostMessages(
  { where, messages }: Sample,
  { text: prompt, tally }: { readonly text: string; readonly tally: Tally },
): void {
  const isShown = createSearch(prompt)
  for (const [index, message] of messages.entries()) {
    const text = messageText(message)
    const isTextShown = text === '' ? null : isShown(text)
    if (isTextShown !== null) tally.count('messages')
    if (isTextShown === false) {
      const role = message.get('role')
      const detail = { kind: 'message', role: typeof role === 'string' ? role : null, text } as const
      tally.add({ rule: 'message-lost', where, message: index, detail })
    }
    const reasoning = reasoningText(message)
    const isReasoningShown = reasoning === '' ? null : isShown(reasoning)
    if (isReasoningShown !== null) tally.count('thoughts')
    if (isReasoningShown === false)
      tally.add({ rule: 'reasoning-lost', where, message: index, detail: { kind: 'reasoning', text: reasoning } })
  }
}

/**
 * Whether the prompt contains a text, or a line of it, as it is or within JSON; null once too much was searched. Texts in
 * the order of the prompt are found without searching any part twice.
 */
function createSearch(text: string): (wanted: string) => boolean | null {
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
  return (wanted) => {
    if (left < 0) return null
    if (finds(wanted)) return true
    const lines = wanted.split('\n', LINES * 2).map((line) => line.trim())
    return lines
      .filter((line) => line !== '')
      .slice(0, LINES)
      .some((line) => finds(line) || finds(dumps(line).slice(1, -1)))
  }
}

function messageText(message: PyDict): string {
  const content = contentText(message.get('content') ?? null).trim()
  const end = message.get('role') === 'assistant' ? content.lastIndexOf(THINK_END) : -1
  return end === -1 ? content : content.slice(end + THINK_END.length).trim()
}

function reasoningText(message: PyDict): string {
  if (message.get('role') !== 'assistant') return ''
  const field = REASONING_FIELDS.map((name) => message.get(name)).find((each) => typeof each === 'string')
  if (typeof field === 'string') return field.trim()
  const content = contentText(message.get('content') ?? null)
  const end = content.lastIndexOf(THINK_END)
  return end === -1
    ? ''
    : content
        .slice(0, end)
        .replace(/^\s*<think>/, '')
        .trim()
}

/** A text, or the texts of parts. */
function contentText(content: PyValue): string {
  if (typeof content === 'string') return content
  if (!isList(content)) return ''
  return content
    .flatMap((part) => (isDict(part) && typeof part.get('text') === 'string' ? [part.get('text')] : []))
    .join('\n')
}
