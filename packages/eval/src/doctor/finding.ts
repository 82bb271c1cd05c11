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

/** What a reply to a script shows. */
export type ScriptFinding = Omit<Finding, 'check'>

/** What one script found, requested whole and as a stream. */
export interface ScriptRow {
  /** Id of one of `SCRIPTS`. */
  readonly script: string
  readonly whole: ScriptFinding
  readonly streamed: ScriptFinding
}

/** What the probes of a model found. */
export interface Examined {
  readonly findings: readonly Finding[]
  /** Null where no script was sent. */
  readonly scripts: readonly ScriptRow[] | null
  /** False where the server refused key, model or address at once, or never answered in time. */
  readonly isAsked: boolean
  /** The model's name in the replies; empty where they have none. */
  readonly served: string
}
