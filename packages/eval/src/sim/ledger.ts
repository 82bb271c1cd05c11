import type { EndLabel, TurnFlag, TurnLabel } from '../labels.ts'
import type { Culprit } from './culprit.ts'
import type { Outcome } from './outcome.ts'
import type { SimProtocol } from './protocol.ts'

/** What a reply was meant to be: the truth that a measurement is held against. One row per completion. */
export interface LedgerRow {
  /** The id of the completion, which a client keeps. Equal requests have equal ids. */
  readonly id: string
  readonly model: string
  readonly protocol: SimProtocol
  /** The version of the reference whose host is expected to read the reply; `end` depends on it. */
  readonly host: string
  readonly task: string
  readonly sample: number
  /** How many results the request held. */
  readonly step: number
  /** The fault or policy at work; null for a correct reply. */
  readonly fault: string | null
  /** The fault that was drawn, whether it changed anything or not. */
  readonly drawn: string | null
  /** What was drawn for the parameters of the fault, by stream. */
  readonly parameters: Readonly<Record<string, number>>
  readonly strict: TurnLabel
  readonly lenient: TurnLabel
  /** How the episode ends if this turn is its last; null when it must not be. */
  readonly end: EndLabel | null
  /** Who spoilt the turn; null where nothing is wrong with it. */
  readonly blames: Culprit | null
  /** What the episode comes to if this turn is its last; null when it must not be. */
  readonly outcome: Outcome | null
  /** Flags that the turn must have; others may come with them. */
  readonly flags: readonly TurnFlag[]
  /** Whether a good call is left when the text is cut where it goes wrong; null where nobody asks. */
  readonly salvageable: boolean | null
  /** The stop word that cut the text; null for none. */
  readonly cutAt: string | null
  /** What the transport did to the last reply, by name. */
  readonly transport: readonly string[]
  /** The virtual time of the reply. */
  readonly latencyMs: number
  /** How often the completion was asked for and answered. */
  readonly answered: number
  /** How often it was asked for and failed on the way. While it was never answered, the labels are those of the failure. */
  readonly failed: number
}

/** A row without its counts. */
export type LedgerEntry = Omit<LedgerRow, 'answered' | 'failed'>

/** Everything that was asked for, in the order in which it first was. */
export interface Ledger {
  /** How often the completion failed so far. */
  readonly failures: (id: string) => number
  readonly answered: (entry: LedgerEntry) => void
  readonly failed: (entry: LedgerEntry) => void
  readonly rows: () => readonly LedgerRow[]
  readonly clear: () => void
}

/** A ledger in memory. */
export function createLedger(): Ledger {
  const rows = new Map<string, LedgerRow>()
  return {
    failures: (id) => rows.get(id)?.failed ?? 0,
    answered: (entry) => {
      const known = rows.get(entry.id)
      rows.set(entry.id, { ...entry, answered: (known?.answered ?? 0) + 1, failed: known?.failed ?? 0 })
    },
    failed: (entry) => {
      const known = rows.get(entry.id)
      const shown = known === undefined || known.answered === 0 ? entry : known
      rows.set(entry.id, { ...shown, answered: known?.answered ?? 0, failed: (known?.failed ?? 0) + 1 })
    },
    rows: () => [...rows.values()],
    clear: () => rows.clear(),
  }
}
