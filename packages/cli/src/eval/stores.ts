import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { openCache, openTape } from '@callspec/eval'
import type { Client, CompletionCache, Suite, Tape, TapeMode } from '@callspec/eval'
import { plural } from '@callspec/eval/plural'
import type { EvalOptions } from './eval-options.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/** What may answer in the place of a server, and what keeps its answers. */
export interface Stores {
  /** The client of a model with cache, tape and pauses round it. */
  client(client: Client, model: { readonly id: string; readonly baseUrl: string; readonly delayMs: number }): Client
  /** The suite with its own tools on the tape. Those of the program always answer alike and need none. */
  suite(suite: Suite): Suite
  /** Whether something else than a server may answer. */
  readonly areUsed: boolean
  /** Whether a tape answers what it can: then nobody may be there to be asked. */
  readonly replays: boolean
  /** Says what came from where. */
  report(output: Output): void
  close(): void
}

/** The folder of cached replies; it belongs into `.gitignore`. */
const CACHE_FOLDER = '.callspec-cache'

/**
 * Opens what --cache, --record, --replay and --strict ask for. Warns of a tape to go on with that is not there: a name with a slip
 * would have everything asked and paid for again.
 *
 * @throws UsageError for options that contradict each other
 * @throws RunError for a tape that is none, is missing, or is there already
 */
export function openStores(options: EvalOptions, output: Output): Stores {
  const cache = options.cache === true ? openCache(CACHE_FOLDER) : null
  const isNew = options.replay !== null && !existsSync(options.replay)
  const tape = openTapeOf(options)
  if (isNew) output.warn(`${options.replay} is not there yet: everything is asked, and kept in it. Is the name right?`)
  return {
    client: (client, { id, baseUrl, delayMs }) => {
      // From the inside: pauses come only before what is really asked.
      const paced = delayMs === 0 ? client : withPause(client, delayMs)
      const cached = cache?.wrap(paced, baseUrl) ?? paced
      return tape?.client(cached, id) ?? cached
    },
    suite: (suite) =>
      tape === null || suite.toolbox === undefined ? suite : { ...suite, toolbox: tape.toolbox(suite.toolbox) },
    areUsed: cache !== null || tape !== null,
    replays: options.replay !== null,
    report: (output) => {
      if (cache !== null) reportCache(cache, output)
      if (tape === null) return
      const { replayed, recorded } = tape.counts()
      output.note(`tape: ${plural(replayed, 'answer')} replayed, ${recorded} recorded`)
    },
    close: () => tape?.close(),
  }
}

function openTapeOf(options: EvalOptions): Tape | null {
  const [record, replay] = [options.record, options.replay]
  const isStrict = options.strict
  if (isStrict && replay === null)
    throw new UsageError('--strict needs --replay FILE: it says that nothing else is asked.')
  if (record !== null && replay !== null) {
    throw new UsageError('--record begins a new tape, --replay goes on with one. Give one of them.')
  }
  const path = record ?? replay
  if (path === null) return null
  if (path === '')
    throw new UsageError(`--${record === null ? 'replay' : 'record'} was given an empty text. Name a file.`)
  if (options.cache === true) throw new UsageError('--cache and a tape do not go together. Give one of them.')
  const mode: TapeMode = record !== null ? 'record' : isStrict ? 'strict' : 'auto'
  return openTape(path, mode)
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

function reportCache(cache: CompletionCache, output: Output): void {
  const { hits, misses, stored, problem } = cache.counts()
  output.note(
    `cache: ${plural(hits, 'hit')}, ${plural(misses, 'miss', 'misses')}, ${plural(stored, 'reply', 'replies')} added to ${CACHE_FOLDER}`,
  )
  if (problem !== null) output.warn(problem)
}
