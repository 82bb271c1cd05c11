import type { Protocol } from '../trace/protocol.ts'
import type { PairedTest } from './paired-tests.ts'

/** What any two rows have in common. `tests` is in the order of `PAIRED_METRICS`; p values are adjusted over the whole summary. */
interface ComparedSides {
  /** Pairs that are left out because one side failed on the way to the server. */
  readonly broken: number
  readonly unpaired: number
  readonly tests: readonly PairedTest[]
}

/** Two protocols of a model. */
export interface ProtocolComparison extends ComparedSides {
  readonly model: string
  readonly left: Protocol
  readonly right: Protocol
}

/** Two models under one protocol. */
export interface ModelComparison extends ComparedSides {
  readonly protocol: Protocol
  readonly left: string
  readonly right: string
}
