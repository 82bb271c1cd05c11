import type fc from 'fast-check'

import type { Distribution } from './distribution.ts'
import type { Finding } from './finding.ts'
import type { KnownCause } from './known-causes.ts'
import type { Law } from './law.ts'
import type { Sample } from './sample.ts'

/** How violations are searched for. */
export interface SearchOptions {
  /** Default: all that apply. */
  readonly laws?: readonly Law[]
  /** Texts per group of laws that need the same kind of text. Default 1000. */
  readonly runs?: number
  /** Default 0. The same seed gives the same texts. */
  readonly seed?: number
  /** Of a finding: begins with its sample. Needs one law. */
  readonly path?: string
  /** Longer texts are cut. Default: 200 for laws whose cost is quadratic, else no limit. */
  readonly maxLength?: number
  /** Texts of another kind, such as those of a corpus, in place of the generated ones. */
  readonly samples?: fc.Arbitrary<Sample>
  /** What was told before: texts that show it again are passed over. Default: nothing. */
  readonly known?: readonly KnownCause[]
  /**
   * Whether to end: what is being made smaller stays as it is. Asked before every law and every try; only where the parser is
   * a function.
   */
  readonly isOver?: () => boolean
  /** Ends a search that waits for answers; what was seen so far is given back. */
  readonly signal?: AbortSignal
}

/** A search in steps, for whoever has to look after something else in between. */
export interface Search {
  /**
   * Looks at texts until a law is broken or something else is due, at one at least. False when there is nothing left to do.
   *
   * @param isDue asked after every text; default: nothing ever is
   */
  readonly step: (isDue?: () => boolean) => boolean
  /** What was seen so far. */
  readonly result: () => SearchResult
}

/** What a search has seen. */
export interface SearchResult {
  /** At most one per law: the first, made small. */
  readonly findings: readonly Finding[]
  readonly texts: number
  /** What the texts were, judged by the parser's own answers. */
  readonly distribution: Distribution
  readonly seed: number
}
