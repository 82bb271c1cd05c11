import type { Scoreboard } from '@callspec/conformance'
import type { PageLanguage } from '../words.ts'

/** Who answered: an implementation in one version. */
export interface ConformanceColumn {
  /** Name and version: `my_parser 0.3`. */
  readonly name: string
  /** When and as what it was asked once, where it was not run: `July 2026`. Null for what was run. */
  readonly recorded: string | null
  /** The version of the cases that it was asked; null where that is not known. */
  readonly cases: string | null
  /** When its results were written, as a day; null where that is not known. */
  readonly date: string | null
}

/** How often something came of the cases about a topic. */
export interface TopicCell {
  /** Index of its column. */
  readonly column: number
  readonly format: string | null
  readonly op: string
  readonly profile: string
  /** Null for all topics together, where only that is known. */
  readonly topic: string | null
  readonly passed: number
  readonly failed: number
  readonly errored: number
  readonly skipped: number
  /** Questions without one right answer. */
  readonly open: number
}

/** What came of a case: as it should be, or not; `open` where there is no one right answer. */
export type ComparedVerdict = 'passed' | 'failed' | 'errored' | 'open'

/** What one implementation answered. */
export interface ComparedAnswer {
  /** Index of its column. */
  readonly column: number
  readonly verdict: ComparedVerdict
  /** In normal form; null where it passed or there was no answer. */
  readonly said: string | null
  /** Where the answers differ, or what broke, on one line; null where nothing has to be said. */
  readonly reason: string | null
}

/** A case on which somebody failed or two differ, with what all of them answered. */
export interface ComparedCase {
  readonly id: string
  readonly format: string | null
  readonly op: string
  readonly profile: string
  readonly topic: string
  /** The text that was to be read, or JSON; null where the case is not known here. */
  readonly input: string | null
  /** What the answer was taken from, and where markers of the text are no tokens; a line each. */
  readonly origin: readonly string[]
  /** What is right, in normal form; null where that is open or not known here. */
  readonly expected: string | null
  readonly answers: readonly ComparedAnswer[]
}

/** What the conformance page is made from. */
export interface ConformanceReport {
  readonly columns: readonly ConformanceColumn[]
  readonly cells: readonly TopicCell[]
  readonly cases: readonly ComparedCase[]
  /** Of which several versions may be shown below each other. */
  readonly scoreboards: readonly Scoreboard[]
  /** The day on which the page was made. */
  readonly date: string
  readonly language: PageLanguage
}
