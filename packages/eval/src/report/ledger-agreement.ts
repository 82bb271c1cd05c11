import { TURN_LABELS } from '../labels.ts'
import type { TurnLabel } from '../labels.ts'
import type { EpisodeKey } from '../run/trace.ts'
import type { EpisodeScore } from '../score/score-episode.ts'
import type { ScoredTurn } from '../score/score-turn.ts'
import type { LedgerRow } from '../sim/ledger.ts'
import type { LedgerAgreement } from '../summary/eval-summary.ts'

/** So many differences are spelled out; the counts hold all of them. */
const SPELLED_OUT = 200

/**
 * Holds every turn and every end against the ledger, joined by completion id; a completion that never came is joined by
 * its episode. A turn that the ledger does not know differs.
 */
export function compareWithLedger(episodes: readonly EpisodeScore[], ledger: readonly LedgerRow[]): LedgerAgreement {
  const find = createFinder(ledger)
  const differences: string[] = []
  let [turns, wrongTurns, wrongEnds] = [0, 0, 0]
  for (const { key, end, turns: scored } of episodes) {
    const where = `${key.model} ${key.protocol} ${key.task} seed ${key.sample}`
    for (const turn of scored) {
      turns += 1
      const row = find(turn, key)
      const difference = row === null ? `injected nothing, measured ${turn.strict}` : turnDifference(turn, row)
      if (difference === null) continue
      wrongTurns += 1
      differences.push(`${where} turn ${turn.turn}: ${difference}`)
    }
    const lastTurn = scored.at(-1)
    const last = lastTurn === undefined ? null : find(lastTurn, key)
    if (last?.end === end) continue
    wrongEnds += 1
    differences.push(`${where} end: injected ${last?.end ?? 'none'} (${last?.fault ?? 'no fault'}), measured ${end}`)
  }
  return {
    turns,
    turnsAgreeing: turns - wrongTurns,
    episodes: episodes.length,
    episodesAgreeing: episodes.length - wrongEnds,
    differences: differences.slice(0, SPELLED_OUT),
  }
}

/** How often each label was injected: strict, lenient. For tables beside the measured ones. */
export function ledgerLabels(
  ledger: readonly LedgerRow[],
): Readonly<Record<'strict' | 'lenient', Readonly<Partial<Record<TurnLabel, number>>>>> {
  const count = (labelOf: (row: LedgerRow) => TurnLabel): Readonly<Partial<Record<TurnLabel, number>>> =>
    Object.fromEntries(
      TURN_LABELS.map((label) => [label, ledger.filter((row) => labelOf(row) === label).length] as const).filter(
        ([, rows]) => rows > 0,
      ),
    )
  return { strict: count((row) => row.strict), lenient: count((row) => row.lenient) }
}

type FindRow = (turn: ScoredTurn, key: EpisodeKey) => LedgerRow | null

function createFinder(ledger: readonly LedgerRow[]): FindRow {
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
