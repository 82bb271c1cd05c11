import { createClient } from '../../src/client/client.ts'
import { PROTOCOLS } from '../../src/protocol.ts'
import { compareWithLedger } from '../../src/report/ledger-agreement.ts'
import type { PlayedEpisode } from '../../src/run/play-plan.ts'
import type { EpisodeScore } from '../../src/score/score-episode.ts'
import { createSimHandler } from '../../src/sim/handler.ts'
import type { SimOptions } from '../../src/sim/handler.ts'
import type { LedgerRow } from '../../src/sim/ledger.ts'
import { simulatedFetch } from '../../src/sim/simulated-fetch.ts'
import type { LedgerAgreement } from '../../src/summary/eval-summary.ts'
import { playWith } from './play.ts'
import type { PlaySettings } from './play.ts'

/** What simulated models did, and what they had been made to do. */
export interface Simulated {
  readonly episodes: readonly PlayedEpisode[]
  readonly scores: readonly EpisodeScore[]
  readonly ledger: readonly LedgerRow[]
  readonly agreement: LedgerAgreement
}

/** How simulated models are asked, beside what is played. */
export interface SimulateSettings extends PlaySettings {
  readonly sim?: SimOptions
  readonly stream?: boolean
  readonly maxRetries?: number
  readonly timeoutMs?: number
}

/** Plays simulated models without a socket: the client's `fetch` is the simulator. Waiting takes no time. */
export async function simulate({
  sim = {},
  stream = false,
  maxRetries = 0,
  timeoutMs = 30_000,
  ...settings
}: SimulateSettings): Promise<Simulated> {
  const handler = createSimHandler(sim)
  const client = createClient({
    baseUrl: 'http://simulated.test/v1',
    apiKey: 'EMPTY',
    timeoutMs,
    maxRetries,
    stream,
    fetch: simulatedFetch(handler),
    sleep: async () => {},
  })
  const episodes = await playWith(client, { protocols: PROTOCOLS, ...settings })
  const scores = episodes.map((episode) => episode.score)
  const ledger = handler.ledger()
  return { episodes, scores, ledger, agreement: compareWithLedger(scores, ledger) }
}

/** How often each value occurs, by name in the order of the names. */
export function tally(values: readonly (string | null)[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([left], [right]) => (left < right ? -1 : 1)))
}
