import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Job, RunModel, Suite, TraceLine } from '@callspec/eval'
import { offeredTools } from '@callspec/eval'
import { playEpisode } from '@callspec/eval/run-parts'
import type { RecordedStart } from '@callspec/eval/run-parts'
import type { Redis } from 'ioredis'
import type { RunKeys } from '../redis/keys.ts'
import { NAME_LENGTH, NO_NAME } from '../redis/rows.ts'
import type { Row } from '../redis/rows.ts'
import { rowsOf, storeRows } from '../redis/store.ts'
import type { Stored } from '../redis/store.ts'
import type { Pressure } from './pressure.ts'
import { WorkerUnfit } from './unfit.ts'

/** How an episode is played whose rows others may store, too. */
export interface SharedPlay {
  readonly redis: Redis
  readonly keys: RunKeys
  readonly suite: Suite
  readonly model: RunModel
  readonly pressure: Pressure
  readonly counts: WorkCounts
  /** Nothing more is asked or stored. */
  readonly signal: AbortSignal
}

/** What a worker has done. */
export interface WorkCounts {
  asked: number
  /** Replies that came when somebody else's was there. */
  dropped: number
  episodes: number
}

/** What came of an episode. `gone`: the run is. */
export type Played = 'ended' | 'gone'

/**
 * Plays an episode from where its stored rows end. What is stored decides: where somebody else was faster, the episode goes on
 * from that, so that it never mixes two histories.
 *
 * @throws WorkerUnfit when the server is not there or refuses this worker
 * @throws what the signal was aborted with
 */
export async function playShared(job: Job & { readonly number: number }, shared: SharedPlay): Promise<Played> {
  let found = await rowsOf(shared.redis, shared.keys, job.number)
  for (;;) {
    if (found.kind === 'gone') return 'gone'
    if (found.kind === 'done') return 'ended'
    const start = startOf(found.kind === 'other' ? found.rows : [])
    if (start === null) return 'ended'
    try {
      await playFrom(start, job, shared)
      shared.counts.episodes += 1
      return 'ended'
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
      found = error.found
    }
  }
}

/** Somebody else stored something, or nothing can be stored any more. */
class Overtaken extends Error {
  readonly found: Stored

  constructor(found: Stored) {
    super('callspec: overtaken')
    this.found = found
  }
}

interface Start {
  readonly recorded: RecordedStart
  readonly rows: number
  readonly name: string
}

/** Null for an episode that is at its end. */
function startOf(rows: readonly Row[]): Start | null {
  const lines = rows.map(({ json }) => JSON.parse(json) as TraceLine)
  if (lines.some((line) => line.kind === 'end')) return null
  const recorded = {
    turns: lines.filter((line) => line.kind === 'turn'),
    calls: lines.filter((line) => line.kind === 'call'),
  }
  return { recorded, rows: rows.length, name: rows.at(-1)?.name ?? NO_NAME }
}

async function playFrom(
  { recorded, rows, name }: Start,
  { key, task, number }: Job & { readonly number: number },
  shared: SharedPlay,
): Promise<void> {
  const { suite, model, signal } = shared
  const shelf = createShelf({ at: rows, after: name, episode: number }, shared)
  const own = suite.toolbox
  await playEpisode({
    ...{ key, task, recorded, signal },
    tools: offeredTools(suite, task),
    settings: model.settings,
    client: storingFirst(model.client, shelf, shared),
    // Tools of others may take long: what led to them is safe before.
    toolbox:
      own &&
      ((...begin) => {
        const session = own(...begin)
        return { ...session, call: async (call) => (await shelf.store(false), session.call(call)) }
      }),
    write: shelf.put,
    clock: () => performance.now(),
  })
  await shelf.store(true)
}

/** Rows that are not stored yet. */
interface Shelf {
  /** Makes sure that nobody has stored anything since. @throws Overtaken when somebody has */
  fresh(): Promise<void>
  put(line: TraceLine): void
  /** @throws Overtaken when others stand there, WorkerUnfit for a failure that is ours */
  store(isEnd: boolean): Promise<void>
}

/** How long a worker waits that finds Redis full. */
const FULL_MS = 200

/** What was seen longer ago may be true no more: on a busy machine an episode may wait between two of its steps. */
const FRESH_MS = 20
/** Whoever is slower than this every time asks at last. */
const LOOKS = 3

function createShelf(
  place: { readonly at: number; readonly after: string; readonly episode: number },
  shared: SharedPlay,
): Shelf {
  const { redis, keys, pressure, signal } = shared
  let { at, after } = place
  let held: string[] = []
  let seen = -Infinity
  return {
    fresh: async () => {
      for (let look = 0; look < LOOKS && performance.now() - seen > FRESH_MS; look += 1) {
        const found = await rowsOf(redis, keys, place.episode)
        if (found.kind !== 'other' || found.rows.length !== at) throw new Overtaken(found)
        seen = performance.now()
        // Others of this process may have their turn before the request goes out.
        await Promise.resolve()
      }
    },
    put: (line) => {
      const kind = line.kind === 'turn' ? line.failure?.kind : undefined
      if (line.kind === 'turn' && line.failure !== null && (kind === 'unreachable' || kind === 'configuration'))
        throw new WorkerUnfit(line.failure)
      held.push(JSON.stringify(line))
    },
    store: async (isEnd) => {
      if (held.length === 0) return
      const name = randomBytes(NAME_LENGTH / 2).toString('hex')
      const rows = { episode: place.episode, at, after, name, lines: held, isEnd }
      for (;;) {
        signal.throwIfAborted()
        const stored = await storeRows(redis, keys, { rows, bound: pressure.bound })
        if (stored.kind === 'full') {
          pressure.full()
          await pause(FULL_MS, undefined, { signal })
          continue
        }
        if (stored.kind !== 'stored') {
          shared.counts.dropped += 1
          throw new Overtaken(stored)
        }
        pressure.waiting(stored.bytes)
        seen = performance.now()
        break
      }
      ;[at, after, held] = [at + held.length, name, []]
    },
  }
}

/** What is known is stored before more is asked, and while Redis is full nothing is. */
function storingFirst(client: Client, shelf: Shelf, { pressure, counts, signal }: SharedPlay): Client {
  return {
    ...client,
    complete: async (request, aborted) => {
      await shelf.store(false)
      await pressure.room(signal)
      await shelf.fresh()
      counts.asked += 1
      return client.complete(request, aborted)
    },
  }
}
