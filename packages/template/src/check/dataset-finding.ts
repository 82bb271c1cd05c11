import type { TemplateError } from '../error.ts'

/** The unit of a rule's rate. */
export type DatasetUnit = 'conversations' | 'all turns' | 'turns' | 'calls' | 'replies' | 'messages' | 'thoughts'

/** What can be wrong with a conversation under a template. */
export type DatasetRule =
  | 'refused'
  | 'prompt-refused'
  | 'prompt-not-prefix'
  | 'call-not-read'
  | 'reply-not-same'
  | 'message-lost'
  | 'reasoning-lost'

/** For each rule the unit of its rate and its meaning. */
export const DATASET_RULES: Readonly<Record<DatasetRule, { readonly of: DatasetUnit; readonly about: string }>> = {
  refused: { of: 'conversations', about: 'the template refuses the conversation' },
  'prompt-refused': { of: 'turns', about: 'the template refuses the prompt of a turn' },
  'prompt-not-prefix': { of: 'turns', about: 'the whole conversation does not begin with the prompt of a turn' },
  'call-not-read': { of: 'calls', about: 'no format reads the call as it was made' },
  'reply-not-same': { of: 'replies', about: 'the messages read from the replies render to other bytes' },
  'message-lost': { of: 'messages', about: 'the prompt contains nothing of the message' },
  'reasoning-lost': { of: 'thoughts', about: 'the prompt does not contain the reasoning' },
}

/** One finding in one conversation. */
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

/** A tally, and the result that it fills. */
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
