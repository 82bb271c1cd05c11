import { createSimHandler, simulatedFetch } from '@callspec/sim'
import type { LedgerRow, SimOptions } from '@callspec/sim'
import { createClient } from '../../src/client/client.ts'
import type { Client } from '../../src/client/client.ts'
import type { PlayedEpisode } from '../../src/score/scores.ts'
import type { EpisodeScore } from '../../src/score/scores.ts'
import { OWN_LOOP_FORMATS, PROMPTED_FORMATS } from '../../src/trace/format-names.ts'
import type { FormatName } from '../../src/trace/format-names.ts'
import { compareWithLedger } from '../../src/summary/ledger-agreement.ts'
import { makePlan } from '../../src/trace/plan.ts'
import { playPlan } from '../../src/play/play-plan.ts'
import type { RequestSettings } from '../../src/trace/run-manifest.ts'
import type { Suite, Task } from '../../src/trace/task.ts'
import type { LedgerAgreement } from '../../src/summary/eval-summary.ts'
import { suite as builtIn } from './play.ts'

/** No simulated model can read its prompts: what comes before the question varies. */
const UNPLAYED: ReadonlySet<string> = new Set(['muse-glimmer'])

/** The formats that simulated models are asked for by their own prompts. */
export const PLAYED_FORMATS: readonly FormatName[] = PROMPTED_FORMATS.map(({ id }) => id).filter(
  (id) => !UNPLAYED.has(id),
)

/** What simulated models did, and what they had been made to do. */
export interface Simulated {
  readonly episodes: readonly PlayedEpisode[]
  readonly scores: readonly EpisodeScore[]
  readonly ledger: readonly LedgerRow[]
  readonly agreement: LedgerAgreement
}

/** What is played and how; everything but the models has a default. */
export interface SimulateSettings {
  readonly models: readonly string[]
  readonly formats?: readonly FormatName[]
  readonly suite?: Suite
  readonly tasks?: readonly Task[]
  readonly repeat?: number
  readonly seed?: number
  readonly concurrency?: number
  readonly stream?: boolean
  readonly stops?: RequestSettings['stops']
  readonly api?: RequestSettings['api']
  readonly prompt?: RequestSettings['prompt'] & string
  readonly maxRetries?: number
  readonly timeoutMs?: number
  readonly sim?: SimOptions
  /** Puts something between the run and its client, such as a cache. */
  readonly between?: (client: Client) => Client
  /** Changes what the simulator answers, as a server could. */
  readonly server?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch
}

/** Plays simulated models without a socket: the client's `fetch` is the simulator. Waiting takes no time. */
export async function simulate(settings: SimulateSettings): Promise<Simulated> {
  const { suite = builtIn, tasks = suite.tasks, formats = OWN_LOOP_FORMATS, repeat = 1, seed = 0 } = settings
  const { stops = 'on', api = 'chat', stream = false, maxRetries = 0, timeoutMs = 30_000, prompt = 'maker' } = settings
  const handler = createSimHandler({ formats: settings.formats ?? [], ...settings.sim })
  const { server = (fetch) => fetch } = settings
  const direct = createClient({
    ...{ baseUrl: 'http://simulated.test/v1', apiKey: 'EMPTY', timeoutMs, maxRetries, stream },
    fetch: server(simulatedFetch(handler)),
    sleep: async () => {},
  })
  const client = settings.between?.(direct) ?? direct
  const episodes: PlayedEpisode[] = []
  await playPlan({
    suite,
    plan: makePlan({ models: settings.models, formats: formats, tasks, repeat, seed }),
    modelFor: ({ model }) => ({ client, settings: { name: model, parameters: {}, stops, api, prompt } }),
    concurrency: settings.concurrency ?? 8,
    clock: () => 0,
    write: () => {},
    onEpisode: (episode) => episodes.push(episode),
  })
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
