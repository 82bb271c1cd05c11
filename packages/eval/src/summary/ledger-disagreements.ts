import type { LedgerAgreement } from './eval-summary.ts'

/** How many facts were measured otherwise than injected. */
export function ledgerDisagreements(agreement: LedgerAgreement): number {
  const { turns, turnsAgreeing, turnBlamesAgreeing, episodes } = agreement
  const { episodesAgreeing, successAgreeing, blamesAgreeing, callsAgreeing } = agreement
  const ofEpisodes = [episodesAgreeing, successAgreeing, blamesAgreeing, callsAgreeing]
  return [
    ...[turnsAgreeing, turnBlamesAgreeing].map((agreeing) => turns - agreeing),
    ...ofEpisodes.map((agreeing) => episodes - agreeing),
  ].reduce((sum, wrong) => sum + wrong, 0)
}
