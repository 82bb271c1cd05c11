import { compareWithLedger, runEval } from '@callspec/eval'
import type { EvalSummary, PlayedEpisode, RunEvent, RunLimits } from '@callspec/eval'
import { startSimServer } from '@callspec/sim'
import type { SimServer } from '@callspec/sim'
import type { Interrupt } from './interrupt.ts'
import { limitHeapGrowth } from './heap-growth.ts'
import { runConfigOf } from './run-config.ts'
import type { EvalSettings } from './settings.ts'
import type { Stores } from './stores.ts'
import { delayWasmTiering } from './wasm-tiering.ts'

/** A run that goes on with a folder. */
export interface Resumed {
  readonly folder: string
  readonly retryErrors: boolean
  readonly acceptEdited: boolean
}

/** What playing needs besides the settings. */
export interface PlayWorld {
  readonly resume: Resumed | null
  readonly interrupt: Interrupt
  readonly onEvent: (event: RunEvent) => void
  readonly stores: Stores
  readonly limits: RunLimits
}

/**
 * Plays a run. Simulated models are served by this process, on 127.0.0.1.
 *
 * @throws what `runEval` throws
 */
export async function playRun(settings: EvalSettings, world: PlayWorld): Promise<EvalSummary> {
  limitHeapGrowth()
  delayWasmTiering()
  const server = settings.models.some(({ endpoint }) => endpoint.kind === 'simulated')
    ? await startSimServer({
        ...(settings.references === null ? {} : { references: settings.references }),
        passes: { seed: settings.seed, repeat: settings.repeat },
        formats: settings.formats.map((name) => settings.ownFormats.find(({ id }) => id === name) ?? name),
      })
    : null
  const { interrupt, resume, onEvent, stores, limits } = world
  try {
    return await runEval(
      {
        ...runConfigOf(settings),
        ...(server === null ? {} : { baseUrl: server.baseUrl, isSimulated: true }),
        suite: stores.suite(settings.suite),
      },
      {
        signal: interrupt.signal,
        drain: interrupt.drain,
        onEvent,
        limits,
        wrapClient: (client, { id, baseUrl }) =>
          stores.client(client, {
            id,
            // The port of the program's own server is another one every time.
            baseUrl: baseUrl === server?.baseUrl ? 'simulated' : baseUrl,
            delayMs: settings.delayMs,
          }),
        asksEngines: !stores.replays,
        ...(resume === null ? {} : { resume }),
        ...ledgerOf(settings, { server, isFresh: resume === null && !stores.areUsed }),
      },
    )
  } finally {
    await server?.close()
  }
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
