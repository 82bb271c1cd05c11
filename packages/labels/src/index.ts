export { END_LABELS, TURN_FLAGS, TURN_LABELS } from './labels.ts'
export type { EndLabel, TurnFlag, TurnLabel } from './labels.ts'
export type { Culprit, LedgerRow, Outcome } from './ledger-row.ts'
