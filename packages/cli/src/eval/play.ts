import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { Client, EvalSummary, PlayedEpisode, Suite, Tape } from '@callspec/eval'
import { compareWithLedger, openTape, redactedUrl, runEval } from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import type { SimServer } from '@callspec/sim'
import { startSimServer } from '@callspec/sim'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import type { EvalOptions } from './eval-options.ts'
import type { EvalSettings, RunControl } from './settings.ts'
import { runConfigOf } from './settings.ts'

export interface PlayControl extends RunControl {
  readonly stores: Stores
}

/**
 * Plays a run. This process serves simulated models on 127.0.0.1.
 *
 * @throws what `runEval` throws
 */
export async function playRun(settings: EvalSettings, control: PlayControl): Promise<EvalSummary> {
  setEngineFlags()
  const server = settings.models.some(({ endpoint }) => endpoint.kind === 'simulated')
    ? await startSimServer({
        ...(settings.references === null ? {} : { references: settings.references }),
        passes: { seed: settings.seed, repeat: settings.repeat },
        formats: settings.formats.map((name) => settings.ownFormats.find(({ id }) => id === name) ?? name),
      })
    : null
  const { interrupt, resume, onEvent, stores, limits } = control
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
            // The port of our own server changes with every run.
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

/** Injected faults are known only for simulated models that replied in this process. */
function ledgerOf(
  { models, tasks }: EvalSettings,
  { server, isFresh }: { readonly server: SimServer | null; readonly isFresh: boolean },
): { readonly ledger?: (episodes: readonly PlayedEpisode[]) => ReturnType<typeof compareWithLedger> } {
  // The simulated models plan an answer after the call with which some tasks end.
  if (server === null || !isFresh || tasks.some(({ until }) => until === 'call')) return {}
  const simulated = new Set(models.filter(({ endpoint }) => endpoint.kind === 'simulated').map(({ id }) => id))
  return {
    ledger: (episodes) =>
      compareWithLedger(
        episodes.map(({ score }) => score).filter(({ key }) => simulated.has(key.model)),
        server.ledger(),
      ),
  }
}

/** A tape, which may reply instead of a server. */
export interface Stores {
  client(client: Client, model: { readonly id: string; readonly baseUrl: string; readonly delayMs: number }): Client
  /** The suite with its own tools on the tape. Built-in tools always return the same and need none. */
  suite(suite: Suite): Suite
  /** Whether there is a tape. */
  readonly areUsed: boolean
  /** Whether the tape replies first: then there may be no server. */
  readonly replays: boolean
  report(output: Output): void
  close(): void
}

const CACHE_TAPE = '.callspec-cache/replies.tape.jsonl'

/**
 * Opens the tape of --record, --replay or the former --cache. Warns if the tape of --replay does not exist: with a misspelt name
 * everything would be requested and paid for again.
 *
 * @throws UsageError for contradicting options, and for the cache of an earlier version
 * @throws RunError for a file that is not a tape, is missing, or exists already
 */
export function openStores(options: EvalOptions, output: Output): Stores {
  const isNew = options.replay !== null && !existsSync(options.replay)
  const tape = openTapeOf(options)
  const isCache = options.cache === true
  if (isNew)
    output.warn(`${options.replay} does not exist yet: everything is requested, and recorded in it. Is the name right?`)
  return {
    client: (client, { id, baseUrl, delayMs }) => {
      // Inside the tape: only real requests wait.
      const paced = delayMs === 0 ? client : withPause(client, delayMs)
      return tape?.client(paced, isCache ? redactedUrl(baseUrl) : id) ?? paced
    },
    suite: (suite) =>
      tape === null || isCache || suite.toolbox === undefined
        ? suite
        : { ...suite, toolbox: tape.toolbox(suite.toolbox) },
    areUsed: tape !== null,
    replays: options.replay !== null,
    report: (output) => {
      if (tape === null) return
      const { replayed, recorded } = tape.counts()
      output.note(
        `tape: ${plural(replayed, 'answer')} replayed, ${recorded} recorded${isCache ? ` in ${CACHE_TAPE}` : ''}`,
      )
    },
    close: () => tape?.close(),
  }
}

function openTapeOf({ record, replay, strict, cache }: EvalOptions): Tape | null {
  if (strict && replay === null) throw new UsageError('--strict needs --replay FILE: it says that no request is sent.')
  if (record !== null && replay !== null) {
    throw new UsageError('--record begins a new tape, --replay goes on with one. Give one of them.')
  }
  const path = record ?? replay
  if (path === null) return cache === true ? openCacheTape() : null
  if (path === '')
    throw new UsageError(`--${record === null ? 'replay' : 'record'} was given an empty text. Name a file.`)
  if (cache === true) throw new UsageError('--cache and a tape do not go together. Give one of them.')
  return openTape(path, record !== null ? 'record' : strict ? 'strict' : 'auto')
}

function openCacheTape(): Tape {
  const folder = dirname(CACHE_TAPE)
  try {
    mkdirSync(folder, { recursive: true })
  } catch {
    throw new UsageError(`the folder ${folder} cannot be made. Is it a file, or may you not write here?`)
  }
  if (readdirSync(folder).some((name) => /^[0-9a-f]{2}$/.test(name)))
    throw new UsageError(`${folder} holds replies that an earlier version cached and this one cannot read. Delete it.`)
  return openTape(CACHE_TAPE, 'auto', { isCache: true })
}

function withPause(client: Client, delayMs: number): Client {
  return {
    ...client,
    complete: async (request, signal) => {
      await wait(delayMs, undefined, signal === undefined ? {} : { signal })
      return client.complete(request, signal)
    },
  }
}

/** Engine flags, read late enough to be set here: a smaller heap, and no early optimisation of undici's WebAssembly. */
function setEngineFlags(): void {
  // Collect garbage at twice the memory in use, not four times: 190 MB instead of 250 for 10,000 episodes.
  setFlagsFromString('--heap-growing-percent=100')
  // A short run would spend 0.1 s of processor time on it.
  setFlagsFromString('--wasm-tiering-budget=1000000000')
}
