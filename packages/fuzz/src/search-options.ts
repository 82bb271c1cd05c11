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
  /** Reported causes: texts that show them again are skipped. Default: none. */
  readonly known?: readonly KnownCause[]
  /** Ends with so many findings. Default: no limit. */
  readonly maxFindings?: number
  /** Whether to end; what is being made smaller stays as it is. Checked before every law and try of a parser in this process. */
  readonly isOver?: () => boolean
  /** Ends a search, also while it waits for answers; the result has what was seen so far. */
  readonly signal?: AbortSignal
  /** Whether to call `onSeen` before the batch is finished. Checked after every text of a parser in this process. */
  readonly isDue?: () => boolean
  /** Called after each batch with the result so far; the search waits for it. */
  readonly onSeen?: (result: () => SearchResult) => void | Promise<void>
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
