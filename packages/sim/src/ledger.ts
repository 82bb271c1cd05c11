import type { LedgerRow } from '@callspec/labels'

/** A row without its counts. */
export type LedgerEntry = Omit<LedgerRow, 'answered' | 'failed'>

/** All requests, in the order in which they were first sent. */
export interface Ledger {
  /** How often the completion has failed so far. */
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
