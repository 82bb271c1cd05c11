import type { EpisodeScore } from '../score/score-episode.ts'
import type { LedgerRow } from '../sim/ledger.ts'
import type { LedgerAgreement } from '../summary/eval-summary.ts'

/** So many differences are spelled out; the counts hold all of them. */
const SPELLED_OUT = 200

/** Holds every turn and every end against the ledger, joined by completion id. A turn that the ledger does not know differs. */
export function compareWithLedger(episodes: readonly EpisodeScore[], ledger: readonly LedgerRow[]): LedgerAgreement {
  const rows = new Map(ledger.map((row) => [row.id, row]))
  const differences: string[] = []
  let [turns, wrongTurns, wrongEnds] = [0, 0, 0]
  for (const { key, end, turns: scored } of episodes) {
    const where = `${key.model} ${key.protocol} ${key.task} seed ${key.sample}`
    for (const turn of scored) {
      turns += 1
      const row = rows.get(turn.id)
      if (row !== undefined && row.strict === turn.strict && row.lenient === turn.lenient) continue
      wrongTurns += 1
      const injected = row === undefined ? 'nothing' : `${row.strict} / ${row.lenient} (${row.fault ?? 'no fault'})`
      differences.push(`${where} turn ${turn.turn}: injected ${injected}, measured ${turn.strict} / ${turn.lenient}`)
    }
    const last = rows.get(scored.at(-1)?.id ?? '')
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
