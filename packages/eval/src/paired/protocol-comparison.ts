import type { Protocol } from '../trace/protocol.ts'
import type { PairedTest } from './paired-tests.ts'

/** Two protocols of a model. `tests` is in the order of `PAIRED_METRICS`; p values are adjusted over the whole summary. */
export interface ProtocolComparison {
  readonly model: string
  readonly left: Protocol
  readonly right: Protocol
  /** Pairs that are left out because one side failed on the way to the server. */
  readonly broken: number
  readonly unpaired: number
  readonly tests: readonly PairedTest[]
}
