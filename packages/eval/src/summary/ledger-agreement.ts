import { rowName } from '../trace/format-names.ts'
import type { LedgerAgreement } from './eval-summary.ts'
import { createMixUps } from './warnings.ts'
import type { LedgerRow } from '@callspec/labels'
import type { EpisodeKey } from '../trace/trace.ts'
import type { EpisodeScore, ScoredTurn, Attribution } from '../score/scores.ts'

/** How many facts were measured otherwise than injected, of those that were counted. */
export function ledgerDisagreements(agreement: LedgerAgreement): number {
  const { turns, turnsAgreeing, turnBlamesAgreeing, episodes } = agreement
  const { episodesAgreeing, successAgreeing, blamesAgreeing, callsAgreeing } = agreement
  const ofEpisodes = [episodesAgreeing, successAgreeing, blamesAgreeing, callsAgreeing]
  return [
    ...[turnsAgreeing, turnBlamesAgreeing].map((agreeing) => turns - (agreeing ?? turns)),
    ...ofEpisodes.map((agreeing) => episodes - (agreeing ?? episodes)),
    ...(agreement.forged === undefined ? [] : [agreement.forged.episodes - agreement.forged.agreeing]),
  ].reduce((sum, wrong) => sum + wrong, 0)
}

/** Differences that are spelled out at most; the counts include all. */
const SPELLED_OUT = 200

/**
 * Holds every turn (labels, who caused its fault) and every episode (end, success, who is to blame, number of calls) against the ledger,
 * joined by completion id; a completion that never came is joined by its episode. A turn that the ledger does not know differs.
 */
export function compareWithLedger(episodes: readonly EpisodeScore[], ledger: readonly LedgerRow[]): LedgerAgreement {
  const find = createRowFinder(ledger)
  const differences: string[] = []
  const mixUps = createMixUps()
  const wrong = { labels: 0, turnBlames: 0, ends: 0, success: 0, blames: 0, calls: 0, forged: 0 }
  const forged = episodes.filter(({ forged: score }) => (score?.outcome ?? null) !== null).length
  let turns = 0
  for (const episode of episodes) {
    const { key, turns: scored } = episode
    const where = `${rowName(key)} ${key.task} seed ${key.sample}`
    for (const turn of scored) {
      turns += 1
      const row = find(turn, key)
      const label = row === null ? `injected nothing, measured ${turn.strict}` : turnDifference(turn, row)
      const blame = row === null ? 'injected nothing' : blameDifference(turn, row)
      if (label !== null) wrong.labels += 1
      if (blame !== null) wrong.turnBlames += 1
      const found = [label, blame].filter((each) => each !== null)
      if (found.length > 0 && row !== null) mixUps.add(key, row)
      if (found.length > 0) differences.push(`${where} turn ${turn.turn}: ${found.join('; ')}`)
    }
    const lastTurn = scored.at(-1)
    const last = lastTurn === undefined ? null : find(lastTurn, key)
    for (const { kind, injected, measured } of episodeFacts(episode, last)) {
      if (injected === measured) continue
      wrong[kind] += 1
      differences.push(`${where} ${kind}: injected ${injected} (${last?.fault ?? 'no fault'}), measured ${measured}`)
    }
  }
  return {
    turns,
    turnsAgreeing: turns - wrong.labels,
    turnBlamesAgreeing: turns - wrong.turnBlames,
    episodes: episodes.length,
    episodesAgreeing: episodes.length - wrong.ends,
    successAgreeing: episodes.length - wrong.success,
    blamesAgreeing: episodes.length - wrong.blames,
    callsAgreeing: episodes.length - wrong.calls,
    ...(forged === 0 ? {} : { forged: { episodes: forged, agreeing: forged - wrong.forged } }),
    differences: differences.slice(0, SPELLED_OUT),
    ...mixUps.found(),
  }
}

/** `labels 15, blame 15 of 15 turns; end 8, success 8, blame 8, calls 8 of 8 episodes`: what was counted, measured as injected. */
export function ledgerText(agreement: LedgerAgreement): string {
  const { turns, turnsAgreeing, turnBlamesAgreeing, episodes } = agreement
  const { episodesAgreeing, successAgreeing, blamesAgreeing, callsAgreeing } = agreement
  const counted = (facts: Readonly<Record<string, number | null>>): string =>
    Object.entries(facts)
      .flatMap(([fact, agreeing]) => (agreeing === null ? [] : [`${fact} ${agreeing}`]))
      .join(', ')
  const ofTurns = counted({ labels: turnsAgreeing, blame: turnBlamesAgreeing })
  const ofEpisodes = counted({
    ...{ end: episodesAgreeing, success: successAgreeing },
    ...{ blame: blamesAgreeing, calls: callsAgreeing },
  })
  const { forged } = agreement
  const ofForged = forged === undefined ? '' : `; forged texts ${forged.agreeing} of ${forged.episodes}`
  return `${ofTurns} of ${turns} turns; ${ofEpisodes} of ${episodes} episodes${ofForged}`
}

type FindRow = (turn: ScoredTurn, key: EpisodeKey) => LedgerRow | null

function createRowFinder(ledger: readonly LedgerRow[]): FindRow {
  const byId = new Map(ledger.map((row) => [row.id, row]))
  const unanswered = new Map(ledger.filter((row) => row.answered === 0).map((row) => [episodeOf(row), row]))
  return (turn, key) =>
    byId.get(turn.id) ?? (turn.strict === 'infra_error' ? unanswered.get(episodeOf(key)) : null) ?? null
}

function episodeOf({
  model,
  protocol,
  task,
  sample,
}: Pick<LedgerRow, 'model' | 'protocol' | 'task' | 'sample'>): string {
  return [model, protocol, task, sample].join('\u001f')
}

interface EpisodeFact {
  readonly kind: 'ends' | 'success' | 'blames' | 'calls' | 'forged'
  readonly injected: string
  readonly measured: string
}

/** The result of an episode, compared with the one that its last turn was meant to have. */
function episodeFacts(
  { end, success, attribution, calls, forged }: EpisodeScore,
  last: LedgerRow | null,
): readonly EpisodeFact[] {
  const outcome = last?.outcome ?? null
  return [
    { kind: 'ends', injected: last?.end ?? 'none', measured: end },
    { kind: 'success', injected: String(outcome?.success ?? 'none'), measured: String(success) },
    {
      kind: 'blames',
      injected: outcome === null ? 'none' : (outcome.blames ?? 'nobody'),
      measured: blamed(attribution),
    },
    { kind: 'calls', injected: String(outcome?.calls ?? 'none'), measured: String(calls) },
    ...(forged === undefined || forged.outcome === null
      ? []
      : [{ kind: 'forged', injected: forgedText(last?.forged), measured: forgedText(forged) } as const]),
  ]
}

function forgedText(truth: { readonly outcome: string | null; readonly isRun: boolean } | null | undefined): string {
  return truth == null ? 'none' : `${truth.outcome ?? 'none'}${truth.isRun ? ', run' : ''}`
}

function blameDifference({ attribution }: ScoredTurn, { blames, fault }: LedgerRow): string | null {
  const [injected, measured] = [blames ?? 'nobody', blamed(attribution)]
  return injected === measured ? null : `caused by ${injected} (${fault ?? 'no fault'}), blamed on ${measured}`
}

function blamed(attribution: Attribution | null): string {
  return attribution?.blames ?? 'nobody'
}

function turnDifference(turn: ScoredTurn, row: LedgerRow): string | null {
  const flag = row.flags.find((wanted) => !turn.flags.includes(wanted))
  const isSame = row.strict === turn.strict && row.lenient === turn.lenient
  if (isSame && flag === undefined && (row.salvageable ?? turn.salvageable) === turn.salvageable) return null
  const injected = [
    `${row.strict} / ${row.lenient}`,
    ...row.flags,
    ...(row.salvageable === true ? ['salvageable'] : []),
  ]
  const measured = [`${turn.strict} / ${turn.lenient}`, ...turn.flags, ...(turn.salvageable ? ['salvageable'] : [])]
  return `injected ${injected.join(' ')} (${row.fault ?? 'no fault'}), measured ${measured.join(' ')}`
}
