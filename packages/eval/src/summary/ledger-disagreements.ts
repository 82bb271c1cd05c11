import type { LedgerAgreement } from './eval-summary.ts'

/** How many facts were measured otherwise than injected, of those that were counted. */
export function ledgerDisagreements(agreement: LedgerAgreement): number {
  const { turns, turnsAgreeing, turnBlamesAgreeing, episodes } = agreement
  const { episodesAgreeing, successAgreeing, blamesAgreeing, callsAgreeing } = agreement
  const ofEpisodes = [episodesAgreeing, successAgreeing, blamesAgreeing, callsAgreeing]
  return [
    ...[turnsAgreeing, turnBlamesAgreeing].map((agreeing) => turns - (agreeing ?? turns)),
    ...ofEpisodes.map((agreeing) => episodes - (agreeing ?? episodes)),
  ].reduce((sum, wrong) => sum + wrong, 0)
}
