import type { EndLabel, TurnLabel } from '../labels.ts'
import type { Protocol } from '../protocol.ts'

/** What a reply was meant to be: the truth that a measurement is held against. */
export interface LedgerRow {
  /** The id of the completion, which a client keeps. */
  readonly id: string
  readonly model: string
  readonly protocol: Protocol
  readonly task: string
  readonly sample: number
  /** How many results the request held. */
  readonly step: number
  /** The injected fault or policy; null for a correct reply. */
  readonly fault: string | null
  readonly strict: TurnLabel
  readonly lenient: TurnLabel
  /** How the episode ends if this turn is its last; null when it must not be. */
  readonly end: EndLabel | null
}
