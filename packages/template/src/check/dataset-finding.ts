import { dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { TemplateError } from '../rendering.ts'
import { REASONING_FIELDS } from '../lint/probes.ts'
import { THINK_END } from './sample.ts'
import type { Sample } from './sample.ts'

/** The unit of a rule's rate. */
export type DatasetUnit =
  'texts' | 'conversations' | 'all turns' | 'turns' | 'calls' | 'replies' | 'messages' | 'thoughts'

/** What can be wrong with a conversation under a template. */
export type DatasetRule =
  | 'refused'
  | 'prompt-refused'
  | 'prompt-not-prefix'
  | 'call-not-read'
  | 'reply-not-same'
  | 'marker-in-text'
  | 'message-lost'
  | 'reasoning-lost'

/** For each rule the unit of its rate and its meaning. */
export const DATASET_RULES: Readonly<Record<DatasetRule, { readonly of: DatasetUnit; readonly about: string }>> = {
  refused: { of: 'conversations', about: 'the template refuses the conversation' },
  'prompt-refused': { of: 'turns', about: 'the template refuses the prompt of a turn' },
  'prompt-not-prefix': { of: 'turns', about: 'the whole conversation does not begin with the prompt of a turn' },
  'call-not-read': { of: 'calls', about: 'no format reads the call as it was made' },
  'reply-not-same': { of: 'replies', about: 'the messages read from the replies render to other bytes' },
  'marker-in-text': { of: 'texts', about: 'the text of a user or a tool contains a control token of the template' },
  'message-lost': { of: 'messages', about: 'the prompt contains nothing of the message' },
  'reasoning-lost': { of: 'thoughts', about: 'the prompt does not contain the reasoning' },
}

export interface DatasetFinding {
  readonly rule: DatasetRule
  /** `FILE:LINE`. */
  readonly where: string
  /** Index of the message; null for the conversation as a whole. */
  readonly message: number | null
  readonly detail: DatasetDetail
}

/** What shows a finding. */
export type DatasetDetail =
  | { readonly kind: 'raise'; readonly error: TemplateError }
  /** Two texts from shortly before their first difference, at UTF-16 unit `at`. */
  | { readonly kind: 'difference'; readonly at: number; readonly before: string; readonly after: string }
  /** A call, by its name if it has one, and the reply that it was not read from. */
  | { readonly kind: 'call'; readonly name: string | null; readonly reply: string }
  | { readonly kind: 'message'; readonly role: string | null; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }

/** Receives findings, and counts what was checked. */
export interface Tally {
  count(unit: DatasetUnit, count?: number): void
  add(finding: DatasetFinding): void
}

/** The result for a data set. */
export interface DatasetResult {
  readonly seen: ReadonlyMap<DatasetUnit, number>
  readonly counts: ReadonlyMap<DatasetRule, number>
  /** The first few findings of each rule. */
  readonly examples: ReadonlyMap<DatasetRule, readonly DatasetFinding[]>
}

/** So many examples of each rule are kept. */
const EXAMPLES = 3

export function createTally(): { readonly tally: Tally; readonly result: DatasetResult } {
  const seen = new Map<DatasetUnit, number>()
  const counts = new Map<DatasetRule, number>()
  const examples = new Map<DatasetRule, DatasetFinding[]>()
  const tally: Tally = {
    count: (unit, count = 1) => {
      seen.set(unit, (seen.get(unit) ?? 0) + count)
    },
    add: (finding) => {
      const { rule } = finding
      counts.set(rule, (counts.get(rule) ?? 0) + 1)
      const kept = examples.get(rule) ?? []
      if (kept.length < EXAMPLES) examples.set(rule, [...kept, finding])
    },
  }
  return { tally, result: { seen, counts, examples } }
}

/** How many lines of a message are searched for. */
const LINES = 4
/** How many times in all a prompt may be searched through; texts after that are not judged. */
const SEARCHES = 64

/** Finds messages and reasoning that the prompt does not contain. Linear in the prompt: × `SEARCHES` at most. */
export function findLostMessages(
  { where, messages }: Sample,
  { text: prompt, tally }: { readonly text: string; readonly tally: Tally },
): void {
  const isShown = createSearch(prompt)
  for (const [index, message] of messages.entries()) {
    const text = datasetMessageText(message)
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

function datasetMessageText(message: PyDict): string {
  const content = datasetContentText(message.get('content') ?? null).trim()
  const end = message.get('role') === 'assistant' ? content.lastIndexOf(THINK_END) : -1
  return end === -1 ? content : content.slice(end + THINK_END.length).trim()
}

function reasoningText(message: PyDict): string {
  if (message.get('role') !== 'assistant') return ''
  const field = REASONING_FIELDS.map((name) => message.get(name)).find((each) => typeof each === 'string')
  if (typeof field === 'string') return field.trim()
  const content = datasetContentText(message.get('content') ?? null)
  const end = content.lastIndexOf(THINK_END)
  return end === -1
    ? ''
    : content
        .slice(0, end)
        .replace(/^\s*<think>/, '')
        .trim()
}

function datasetContentText(content: PyValue): string {
  if (typeof content === 'string') return content
  if (!isList(content)) return ''
  return content
    .flatMap((part) => (isDict(part) && typeof part.get('text') === 'string' ? [part.get('text')] : []))
    .join('\n')
}
