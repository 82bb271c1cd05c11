import { setTimeout as pause } from 'node:timers/promises'
import type { Client, EpisodeKey, Job, TraceLine, Failure } from '@callspec/eval'
import type { RecordedStart } from '@callspec/eval/worker-parts'
import { offeredTools, playEpisode } from '@callspec/eval/worker-parts'
import type { Redis } from 'ioredis'
import type { RunKeys, Row } from '../redis/keys.ts'
import { newName, NO_NAME } from '../redis/keys.ts'
import type { Room } from '../redis/connect.ts'
import type { Claim, Stored } from '../redis/store.ts'
import { CLAIM_MS, claimTurn, storeRows } from '../redis/store.ts'
import { serverNamed } from '../redis/reports.ts'
import type { ReachedRun } from './reach.ts'

/** How an episode is played whose rows others may store, too. */
export interface SharedPlay {
  readonly redis: Redis
  readonly keys: RunKeys
  readonly reached: Pick<ReachedRun, 'suite' | 'modelFor' | 'placeAfter'>
  readonly pressure: Pressure
  /** Waits where Redis is full. */
  readonly room: Room
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
  const player = newName()
  const { redis, keys, signal, room } = shared
  for (;;) {
    const began = performance.now()
    const found = await room.wait(() => claimTurn(redis, keys, { episode: job.number, player, ...NOTHING }))
    if (found.kind === 'gone') return 'gone'
    if (found.kind === 'done') return 'ended'
    if (found.kind === 'claimed') {
      // Whoever asks stores soon; one that was killed is waited for in vain.
      await pause(Math.min(found.leftMs, LOOK_MS) + 1, undefined, { signal })
      continue
    }
    const start = startOf(found.kind === 'other' ? found.rows : [])
    if (start === null) return 'ended'
    try {
      await playFrom({ ...start, player, seen: began }, job, shared)
      shared.counts.episodes += 1
      return 'ended'
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
    }
  }
}

/** How often an episode is looked at that somebody else plays. */
const LOOK_MS = 200

/** No rows. */
const NOTHING = { at: 0, after: NO_NAME }

/** Somebody else stored something or is about to, or nothing can be stored any more. */
class Overtaken extends Error {
  constructor({ kind }: Stored | Claim) {
    super(`callspec: overtaken (${kind})`)
  }
}

interface Start {
  readonly recorded: RecordedStart
  readonly rows: number
  readonly name: string
}

/** Null for an episode that is at its end. */
function startOf(rows: readonly Row[]): Start | null {
  const all = rows.map(({ json }) => JSON.parse(json) as TraceLine)
  if (all.some((line) => line.kind === 'end')) return null
  const restart = all.findLast((line) => line.kind === 'restart')
  const lines = restart === undefined ? all : all.slice(all.indexOf(restart) + 1)
  const recorded = {
    turns: lines.filter((line) => line.kind === 'turn'),
    calls: lines.filter((line) => line.kind === 'call'),
    superseded: restart?.superseded ?? 0,
  }
  return { recorded, rows: rows.length, name: rows.at(-1)?.name ?? NO_NAME }
}

async function playFrom(
  { recorded: before, rows, name, player, seen }: Start & Pick<Place, 'player' | 'seen'>,
  { key, task, number }: Job & { readonly number: number },
  shared: SharedPlay,
): Promise<void> {
  const { signal, reached } = shared
  const { suite } = reached
  const shelf = createShelf({ at: rows, after: name, episode: number, player, seen }, shared)
  const { recorded, restart, endpoint } = await goingOn(key, before, shared)
  if (restart !== null) shelf.put(restart)
  const model = reached.modelFor(key, endpoint)
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

/** Where an episode goes on: from its last turn, or from the beginning. */
interface GoingOn {
  readonly recorded: RecordedStart
  /** What the journal is told where it begins anew. */
  readonly restart: Extract<TraceLine, { kind: 'restart' }> | null
  /** The server of this worker that it goes on with; null for any. */
  readonly endpoint: string | null
}

/** Another build may have another mind: an episode that a server began goes on only with one that says the same of itself. */
async function goingOn(
  key: EpisodeKey,
  recorded: RecordedStart,
  { redis, keys, reached }: SharedPlay,
): Promise<GoingOn> {
  const name = recorded.turns.at(-1)?.endpoint
  if (name === undefined) return { recorded, restart: null, endpoint: null }
  const place = reached.placeAfter(key, { name, identity: await serverNamed(redis, keys, name) })
  if (place.kind === 'here') return { recorded, restart: null, endpoint: place.endpoint }
  const superseded = (recorded.superseded ?? 0) + recorded.turns.length
  const restart = { kind: 'restart', ...key, superseded } as const
  return { recorded: { turns: [], calls: [], superseded }, restart, endpoint: null }
}

/** Rows that are not stored yet. */
interface Shelf {
  /** Makes sure that nobody else asks or has stored anything since. @throws Overtaken when somebody does or has */
  fresh(): Promise<void>
  put(line: TraceLine): void
  /** @throws Overtaken when others stand there, WorkerUnfit for a failure that is ours */
  store(isEnd: boolean): Promise<void>
}

/** How long a worker waits that finds Redis full. */
const FULL_MS = 200

/** What was claimed longer ago may be claimed by others before the request is there. */
const FRESH_MS = CLAIM_MS / 6
/** Whoever is slower than this every time asks at last. */
const LOOKS = 3

/** Where an episode is. */
interface Place {
  readonly episode: number
  readonly at: number
  readonly after: string
  readonly player: string
  /** When what comes next was claimed, in ms. */
  readonly seen: number
}

function createShelf(place: Place, shared: SharedPlay): Shelf {
  const { redis, keys, pressure, signal, room } = shared
  const { episode, player } = place
  let { at, after, seen } = place
  let held: string[] = []
  return {
    fresh: async () => {
      for (let look = 0; look < LOOKS && performance.now() - seen > FRESH_MS; look += 1) {
        const began = performance.now()
        const found = await room.wait(() => claimTurn(redis, keys, { episode, player, at, after }))
        if (found.kind !== 'yours') throw new Overtaken(found)
        seen = began
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
      const name = newName()
      const rows = { episode, at, after, name, lines: held, isEnd, player }
      for (;;) {
        signal.throwIfAborted()
        const began = performance.now()
        const stored = await room.wait(() => storeRows(redis, keys, { rows, bound: pressure.bound }))
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
        seen = began
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

/** A worker that cannot ask: its server is not there, or refuses its key. Others may be able to. */
export class WorkerUnfit extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'WorkerUnfit'
    this.failure = failure
  }
}

/** How full Redis is with rows that the collector has not written down. */
export interface Pressure {
  /** Bytes that may wait. */
  readonly bound: number
  /** So many wait, as somebody saw. */
  waiting(bytes: number): void
  /** Something was not taken. */
  full(): void
  /** Waits until there is room for what may be asked now. */
  room(signal: AbortSignal): Promise<void>
}

const PRESSURE_LOOK_MS = 200

/** Nobody asks beyond this share of the bound: what is under way then still has to be stored. */
const SHARE = 0.5

/** @param key the stream of rows. Everything in it stands in Redis twice. */
export function createPressure(redis: Redis, key: string, bound: number): Pressure {
  let bytes = 0
  let looking: Promise<void> | null = null
  const isFull = (): boolean => 2 * bytes > SHARE * bound
  const look = async (): Promise<void> => {
    await pause(PRESSURE_LOOK_MS)
    bytes = (await redis.memory('USAGE', key)) ?? 0
    looking = null
  }
  return {
    bound,
    waiting: (seen) => {
      bytes = seen
    },
    full: () => {
      bytes = Math.max(bytes, bound)
    },
    room: async (signal) => {
      while (isFull()) {
        signal.throwIfAborted()
        // One look for all who wait.
        looking ??= look()
        await looking
      }
    },
  }
}
