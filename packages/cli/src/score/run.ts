import type { Invocation } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import { NAMED_LINES } from './source-lines.ts'

/** What a file of recorded outputs may be. */
export const SCORE_KINDS = ['outputs', 'openai', 'bfcl', 'qwen-exam'] as const

/** One of `SCORE_KINDS`. */
export type ScoreKind = (typeof SCORE_KINDS)[number]

/** What every kind of scoring needs: the file, and whom to tell. */
export interface ScoreRun {
  readonly kind: ScoreKind
  readonly path: string
  readonly onLine: (line: number) => void
  readonly onUnreadable: (line: number, reason: string) => void
  /** Wipes the progress, and says how many unreadable lines were not named. */
  readonly done: () => void
}

/** @throws UsageError without a file */
export function scoreRunOf({ options, output }: Invocation): ScoreRun {
  const path = options.text('outputs')
  if (path === null || path === '')
    throw new UsageError('--outputs is missing: a file of JSON Lines, or - for standard input')
  let unreadable = 0
  return {
    kind: SCORE_KINDS.find((kind) => kind === options.text('kind')) ?? 'outputs',
    path,
    onLine: (line) => {
      if (line % 20_000 === 0) output.progress(`${line} lines`)
    },
    onUnreadable: (line, reason) => {
      unreadable += 1
      if (unreadable <= NAMED_LINES) output.warn(`${path}:${line}: ${reason}`)
    },
    done: () => {
      output.progressDone()
      if (unreadable > NAMED_LINES) output.warn(`${path}: ${unreadable - NAMED_LINES} more lines cannot be read`)
    },
  }
}
