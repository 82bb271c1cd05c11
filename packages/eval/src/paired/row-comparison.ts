import type { FormatName } from '../trace/format-names.ts'
import type { PairedTest } from './paired-tests.ts'

/** What any two rows have in common. `tests` is in the order of `PAIRED_METRICS`; p values are adjusted over the whole summary. */
interface ComparedSides {
  /** Pairs that are left out because one side failed on the way to the server. */
  readonly broken: number
  readonly unpaired: number
  readonly tests: readonly PairedTest[]
}

/** Two formats of a model. */
export interface FormatComparison extends ComparedSides {
  readonly model: string
  readonly left: FormatName
  readonly right: FormatName
}

/** Two models under one format. */
export interface ModelComparison extends ComparedSides {
  readonly protocol: FormatName
  readonly left: string
  readonly right: string
}
