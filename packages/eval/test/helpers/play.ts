import { createClient } from '../../src/client/client.ts'
import { PROTOCOLS } from '../../src/protocol.ts'
import type { Protocol } from '../../src/protocol.ts'
import { runEval } from '../../src/run/run-eval.ts'
import type { EvalOptions, PlayedEpisode } from '../../src/run/run-eval.ts'
import type { TraceLine } from '../../src/run/trace.ts'
import type { LedgerRow } from '../../src/sim/ledger.ts'
import { startSimServer } from '../../src/sim/server.ts'
import { loadBuiltInSuite } from '../../src/suite/read-suite.ts'
import type { Suite } from '../../src/suite/task.ts'

export const suite: Suite = loadBuiltInSuite()

/** A run of simulated models over HTTP, with what was written and what had been injected. */
export interface PlayedRun {
  readonly episodes: readonly PlayedEpisode[]
  readonly lines: readonly TraceLine[]
  readonly ledger: readonly LedgerRow[]
}

/** The protocols that simulated models speak. */
export const SPOKEN: readonly Protocol[] = PROTOCOLS.filter((protocol) => protocol !== 'native')

/** Plays simulated models over the whole suite, or over what `options` leave of it. */
export async function play(options: Partial<EvalOptions> & { readonly stream?: boolean }): Promise<PlayedRun> {
  const server = await startSimServer()
  const lines: TraceLine[] = []
  try {
    const client = createClient({
      baseUrl: server.baseUrl,
      apiKey: 'EMPTY',
      timeoutMs: 30_000,
      maxRetries: 0,
      stream: options.stream ?? true,
    })
    const episodes = await runEval({
      suite,
      tasks: suite.tasks,
      models: ['sim/faulty'],
      protocols: SPOKEN,
      repeat: 1,
      seed: 0,
      concurrency: 8,
      client,
      clock: () => 0,
      write: (line) => lines.push(line),
      ...options,
    })
    return { episodes, lines, ledger: server.ledger() }
  } finally {
    await server.close()
  }
}
