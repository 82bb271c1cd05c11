import { isDict, isList } from '@callspec/core/python'
import type { PyDict, PyValue } from '@callspec/core/python'
import { dumps } from '@callspec/core/reference'
import { quoted } from '../../terminal.ts'
import type { Tally } from './finding.ts'
import type { Sample } from './sample.ts'

/** So many lines of a message are looked for. */
const LINES = 4
const THINK_END = '</think>'
/** Names under which engines and data sets keep what a model thought. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'thinking']

/** Tells which messages and thoughts leave no trace in the prompt. Linear in text × `LINES`. */
export function findLostMessages({ where, messages }: Sample, { text, tally }: { text: string; tally: Tally }): void {
  for (const [index, message] of messages.entries()) {
    const said = saidIn(message)
    if (said !== '') {
      tally.saw('messages')
      if (!isShown(said, text))
        tally.found({ rule: 'message-lost', where, message: index, detail: `${roleText(message)}: "${quoted(said)}"` })
    }
    const thought = thoughtIn(message)
    if (thought === '') continue
    tally.saw('thoughts')
    if (!isShown(thought, text))
      tally.found({ rule: 'reasoning-lost', where, message: index, detail: `"${quoted(thought)}"` })
  }
}

/** Whether the text, or a line of it, stands in the prompt, as it is or within JSON. */
function isShown(said: string, text: string): boolean {
  if (text.includes(said)) return true
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.slice(0, LINES).some((line) => text.includes(line) || text.includes(dumps(line).slice(1, -1)))
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
