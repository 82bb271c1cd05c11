/** The checks, in the order of the report. */
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

/** Checks that a caller adds: `callspec doctor` lints the chat template. */
export const FURTHER_CHECKS = ['chat-template'] as const

/** One of `CHECKS` and `FURTHER_CHECKS`. */
export type Check = (typeof CHECKS)[number] | (typeof FURTHER_CHECKS)[number]

/**
 * The result of one check.
 *
 * - `ok`: as an evaluation needs it
 * - `warn`: an evaluation works, with a limitation
 * - `fail`: something does not work
 * - `unknown`: the replies do not show it
 */
export interface Finding {
  readonly check: Check
  readonly verdict: 'ok' | 'warn' | 'fail' | 'unknown'
  /** On one line; may quote the server. */
  readonly evidence: string
  /** Null if there is nothing to do. */
  readonly whatToChange: string | null
}

export function finding(check: Check, verdict: Finding['verdict'], evidence: string, whatToChange?: string): Finding {
  return { check, verdict, evidence, whatToChange: whatToChange ?? null }
}

/** The result of one reply to a script. */
export type ScriptFinding = Omit<Finding, 'check'>

/** The results of one script, requested whole and as a stream. */
export interface ScriptRow {
  /** Id of one of `SCRIPTS`. */
  readonly script: string
  readonly whole: ScriptFinding
  readonly streamed: ScriptFinding
}

/** The results of all probes of a model. */
export interface Examined {
  readonly findings: readonly Finding[]
  /** Null where no script was sent. */
  readonly scripts: readonly ScriptRow[] | null
  /** False where the server refused key, model or address at once, or never answered in time. */
  readonly isAsked: boolean
  /** The model's name in the replies; empty where they have none. */
  readonly served: string
}
