/** What an endpoint is examined for, in the order of the report. */
export const CHECKS = [
  'reachable',
  'model',
  'chat',
  'usage',
  'stream',
  'stop-words',
  'seed',
  'native-calls',
  'call-arguments',
  'call-ids',
  'call-prose',
  'call-markers',
  'raw-completions',
] as const

/** What others add to a report: `callspec doctor` lints the chat template. */
export const FURTHER_CHECKS = ['chat-template'] as const

/** One of `CHECKS` and `FURTHER_CHECKS`. */
export type Check = (typeof CHECKS)[number] | (typeof FURTHER_CHECKS)[number]

/**
 * What one check found.
 *
 * - `ok`: as an evaluation needs it
 * - `warn`: an evaluation works, and something about it is to be known
 * - `fail`: something does not work
 * - `unknown`: what came back does not tell
 */
export interface Finding {
  readonly check: Check
  readonly verdict: 'ok' | 'warn' | 'fail' | 'unknown'
  /** What was seen, on one line; may quote the server. */
  readonly evidence: string
  /** What to do about it; null where there is nothing to do. */
  readonly whatToChange: string | null
}

/** A finding with nothing to change. */
export function finding(check: Check, verdict: Finding['verdict'], evidence: string, whatToChange?: string): Finding {
  return { check, verdict, evidence, whatToChange: whatToChange ?? null }
}
