import type { ParseOutcome } from '@callspec/core/qwen-agent'

import type { Language } from './language.ts'
import { callsIn, issuesIn } from './laws/reading.ts'

/** What a text turned out to be, judged by the parser's answer. */
export type TextKind = 'call' | 'broken-call' | 'no-call'

/** How many texts of each kind there were. A search whose texts never hold a call proves nothing. */
export type Distribution = { readonly [K in TextKind]: number }

/** Of no texts. */
export const EMPTY_DISTRIBUTION: Distribution = { call: 0, 'broken-call': 0, 'no-call': 0 }

/** The sum of two. */
export function addDistributions(a: Distribution, b: Distribution): Distribution {
  return {
    call: a.call + b.call,
    'broken-call': a['broken-call'] + b['broken-call'],
    'no-call': a['no-call'] + b['no-call'],
  }
}

/**
 * What a text is: a call without a complaint; a call that was complained about, rejected, or begun by a marker but not
 * read; or neither.
 */
export function kindOf(text: string, outcome: ParseOutcome, { callStart }: Language): TextKind {
  const calls = callsIn(outcome)
  if (calls.length > 0) return issuesIn(outcome).length > 0 ? 'broken-call' : 'call'
  return outcome.kind === 'rejected' || callStart.some((marker) => text.includes(marker)) ? 'broken-call' : 'no-call'
}
