import type { Scoreboard } from '@callspec/conformance'
import type { PageLanguage } from '../words.ts'

/** A case that an implementation did not pass. */
export interface FailedCase {
  /** Name and version, as the scoreboard has them: `my_parser 0.3`; the name alone where there is no version. */
  readonly implementation: string
  readonly id: string
  readonly op: string
  readonly format: string | null
  readonly profile: string
  readonly verdict: 'failed' | 'errored'
  /** Where the answers differ, or what broke, on one line. */
  readonly reason: string
  /** JSON; null where there is none. */
  readonly input: string | null
  readonly expected: string | null
  readonly got: string | null
}

/** What the conformance page is made from. */
export interface ConformanceReport {
  readonly scoreboards: readonly Scoreboard[]
  readonly failures: readonly FailedCase[]
  readonly language: PageLanguage
}
