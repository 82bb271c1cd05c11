import { compareWithLedger, runEval, startSimServer } from '@callspec/eval'
import type { EvalSummary, PlayedEpisode, RunEvent, RunModelConfig, SimServer } from '@callspec/eval'
import type { Interrupt } from './interrupt.ts'
import type { EvalModel } from './models.ts'
import type { EvalSettings } from './settings.ts'
import type { Stores } from './stores.ts'

/** A run that goes on with a folder. */
export interface Resumed {
  readonly folder: string
  readonly retryErrors: boolean
}

/** What playing needs besides the settings. */
export interface PlayWorld {
  readonly resume: Resumed | null
  readonly interrupt: Interrupt
  readonly onEvent: (event: RunEvent) => void
  readonly stores: Stores
}

/**
 * Plays a run. Simulated models are served by this process, on 127.0.0.1.
 *
 * @throws what `runEval` throws
 */
export async function playRun(settings: EvalSettings, world: PlayWorld): Promise<EvalSummary> {
  const server = settings.models.some(({ endpoint }) => endpoint.kind === 'simulated')
    ? await startSimServer({ ...(settings.references === null ? {} : { references: settings.references }) })
    : null
  const { interrupt, resume, onEvent, stores } = world
  try {
    return await runEval(
      {
        models: settings.models.map(runModel),
        ...(server === null ? {} : { baseUrl: server.baseUrl, isSimulated: true }),
        protocols: settings.protocols,
        suite: stores.suite(settings.suite),
        tasks: settings.tasks.map((task) => task.id),
        repeat: settings.repeat,
        seed: settings.seed,
        shard: settings.shard,
        stops: settings.stops,
        api: settings.api,
        stream: settings.stream,
        parameters: settings.maxTokens === null ? {} : { max_tokens: settings.maxTokens },
        concurrency: settings.concurrency,
        timeoutMs: settings.timeoutMs,
        maxRetries: settings.maxRetries,
        prices: pricesOf(settings),
        reports: settings.reports,
      },
      {
        signal: interrupt.signal,
        drain: interrupt.drain,
        onEvent,
        wrapClient: (client, { id, baseUrl }) =>
          stores.client(client, {
            id,
            // The port of the program's own server is another one every time.
            baseUrl: baseUrl === server?.baseUrl ? 'simulated' : baseUrl,
            delayMs: settings.delayMs,
          }),
        ...(resume === null ? {} : { resume }),
        ...ledgerOf(settings, { server, isFresh: resume === null && !stores.areUsed }),
      },
    )
  } finally {
    await server?.close()
  }
}

function runModel({ id, name, endpoint, parameters }: EvalModel): RunModelConfig {
  if (endpoint.kind === 'simulated') return { id, name, parameters }
  if (endpoint.kind === 'tape') return { id, name, parameters, baseUrl: 'tape' }
  return { id, name, parameters, baseUrl: endpoint.baseUrl, apiKey: endpoint.apiKey }
}

function pricesOf({ models }: EvalSettings): NonNullable<Parameters<typeof runEval>[0]['prices']> {
  return Object.fromEntries(models.flatMap(({ id, price }) => (price === null ? [] : [[id, price]])))
}

/** What was injected is known only of simulated models, and only of replies that this process has given. */
function ledgerOf(
  { models }: EvalSettings,
  { server, isFresh }: { readonly server: SimServer | null; readonly isFresh: boolean },
): { readonly ledger?: (episodes: readonly PlayedEpisode[]) => ReturnType<typeof compareWithLedger> } {
  if (server === null || !isFresh) return {}
  const simulated = new Set(models.filter(({ endpoint }) => endpoint.kind === 'simulated').map(({ id }) => id))
  return {
    ledger: (episodes) =>
      compareWithLedger(
        episodes.map(({ score }) => score).filter(({ key }) => simulated.has(key.model)),
        server.ledger(),
      ),
  }
}
