import type { LawId } from './law-id.ts'
import type { Law, Violation } from './law.ts'
import type { Sample } from './sample.ts'
import { show } from './show.ts'

/** A violation in its smallest form, with everything that is needed to see it again. Plain data. */
export interface Finding {
  readonly law: LawId
  readonly statement: string
  /** Rows of the list of real problems that the law guards against. */
  readonly pains: readonly number[]
  /** Which part of the law was broken; see `Violation`. */
  readonly breach: string
  readonly subject: string
  readonly text: string
  readonly chunks: readonly string[]
  /** The smallest sample with which the law is broken; its cuts may be others than the chunks in which it was seen. */
  readonly sample: Sample
  /** JSON. */
  readonly expected: string
  /** JSON. */
  readonly got: string
  readonly seed: number
  /** Where in the search it was: with the seed, the sample again, before it was made smaller. */
  readonly path: string
}

/** Puts a violation into the form in which it is handed on. */
export function findingOf(
  law: Law,
  violation: Violation,
  where: { readonly subject: string; readonly sample: Sample; readonly seed: number; readonly path: string },
): Finding {
  return {
    law: law.id,
    statement: law.statement,
    pains: law.guards,
    breach: violation.breach,
    subject: where.subject,
    text: violation.chunks.join(''),
    chunks: violation.chunks,
    sample: where.sample,
    expected: show(violation.expected),
    got: show(violation.got),
    seed: where.seed,
    path: where.path,
  }
}
