import type { Breaker, Outage } from './breaker.ts'
import type { CompletionRequest, ServerClient } from './client.ts'
import type { Limiter } from './limiter.ts'
import { pause } from './deadline.ts'
import type { Sleep } from './deadline.ts'
import type { Attempted } from './retry.ts'
import { isSameServer } from '../trace/server-identity.ts'
import type { ServerIdentity } from '../trace/server-identity.ts'
import type { Completion } from '../trace/completion.ts'
import type { Failure } from '../trace/failure.ts'

/** One of several endpoints of a model. */
export interface PoolMember {
  /** Its address without secrets; no two have the same. */
  readonly name: string
  /** How much of the work it gets beside the others. */
  readonly weight: number
  readonly identity: ServerIdentity | null
  readonly limiter: Limiter
  readonly breaker: Breaker
  readonly client: ServerClient
  /** Those that wait for it leave when it is aborted: see `ClientOptions.leave`. */
  readonly leaving: Leaving
  /** Requests under way or waiting. */
  load: number
  /** Requests so far, over the weight: of two that have nothing to do the one that had less is next. */
  share: number
  /** Nobody was there: nothing new is begun there before. */
  restsUntil: number
}

/** A signal that can be given again and again. */
export interface Leaving {
  signal(): AbortSignal
  now(): void
}

/** Several endpoints that serve the same models. */
export interface EndpointPool {
  named(name: string): PoolMember | null
  /** Where those wait for whom nobody is healthy. */
  first(): PoolMember
  isHealthy(member: PoolMember): boolean
  /** The least loaded healthy one, first among those that are like `like`; null for none. */
  pick(choice: PoolChoice): PoolMember | null
  /** One that may still answer though it does not now; null for none. */
  waiting(without: ReadonlySet<string>): PoolMember | null
  ask(member: PoolMember, request: CompletionRequest, signal: AbortSignal | undefined): Promise<Attempted<Completion>>
  /** Nobody was there. */
  rest(member: PoolMember): void
  /** It refuses what others may answer. */
  refused(member: PoolMember, why: Failure): void
}

/** What an endpoint is picked for. */
export interface PoolChoice {
  readonly without?: ReadonlySet<string>
  /** Whom the episode was played on so far; null where that is of no interest. */
  readonly like?: ServerIdentity | null
}

/** What a pool is made of. */
export interface PoolOptions {
  readonly members: readonly [PoolMember, ...PoolMember[]]
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
  /** The run is over: nobody is looked for any more. */
  readonly until: AbortSignal
  readonly sleep?: Sleep | undefined
}

/** Whoever was not there at its first request is tried again after so long. */
const REST_MS = 15_000

const LONGEST_REST_MS = 300_000

/** A signal that nobody has given yet. */
export function createLeaving(): Leaving {
  let controller = new AbortController()
  return {
    signal: () => controller.signal,
    now: () => {
      const before = controller
      controller = new AbortController()
      before.abort()
    },
  }
}

/** The pool, and what has to be called when an outage begins or ends. */
export function createEndpointPool({ members, clock, until, sleep = pause }: PoolOptions): EndpointPool & {
  onOutage(member: PoolMember, outage: Outage): void
} {
  const watches = new Map(members.map((member) => [member, createLatencyWatch()]))
  const isHealthy = (member: PoolMember): boolean =>
    member.breaker.isClosed() && clock() >= member.restsUntil && (!member.breaker.isOnTrial() || member.load === 0)
  const refresh = (): void => {
    if (members.some(isHealthy)) for (const member of members) if (!member.breaker.isClosed()) member.leaving.now()
  }
  return {
    named: (name) => members.find((member) => member.name === name) ?? null,
    first: () => members[0],
    isHealthy,
    pick: ({ without, like = null }) => {
      const able = members.filter((member) => isHealthy(member) && without?.has(member.name) !== true)
      const alike = like === null ? able : able.filter(({ identity }) => isSameServer(identity, like))
      return leastLoaded(alike) ?? leastLoaded(able)
    },
    waiting: (without) =>
      members.find(({ name, breaker }) => !without.has(name) && breaker.outage()?.state === 'waiting') ?? null,
    ask: async (member, request, signal) => {
      member.load += 1
      member.share += 1 / member.weight
      try {
        const outcome = await member.client.complete(request, signal)
        const { ms } = outcome.kind === 'done' ? outcome.value : { ms: 0 }
        if (ms > 0 && watches.get(member)?.answered(ms, clock()) === true) member.limiter.refused()
        return outcome
      } finally {
        member.load -= 1
      }
    },
    rest: (member) => {
      member.restsUntil = clock() + REST_MS
    },
    refused: ({ breaker }, why) => breaker.trip(why),
    onOutage: (member, { state }) => {
      // When it is told, the breaker is not yet as it will be.
      queueMicrotask(refresh)
      if (state === 'waiting' && !scouts.has(member))
        void scout(member, { until, sleep, isHealthy: () => members.some(isHealthy) })
    },
  }
}

const scouts = new WeakSet<PoolMember>()

interface Scouting {
  readonly until: AbortSignal
  readonly sleep: Sleep
  /** Whether any endpoint can be asked. Where none can, requests wait, and find out by themselves. */
  readonly isHealthy: () => boolean
}

/** Everybody has left: so somebody else has to find out when it is back. */
async function scout(member: PoolMember, { until, sleep, isHealthy }: Scouting): Promise<void> {
  const { breaker, client } = member
  scouts.add(member)
  try {
    // That its list of models can be read proves nothing here: a single request has to be tried.
    for (
      let gap = REST_MS;
      breaker.outage()?.isFailing === true || breaker.isOnTrial();
      gap = Math.min(gap * 2, LONGEST_REST_MS)
    ) {
      await sleep(gap, until)
      if (breaker.outage()?.isFailing === true && isHealthy()) breaker.retry()
    }
    if (breaker.isClosed()) return
    const pass = await breaker.enter({ probe: client.probe, signal: until })
    if (pass === 'trial') breaker.report(pass, 'answered')
  } catch {
    // The run is over.
  } finally {
    scouts.delete(member)
  }
}

/** One that has room comes before one that has none. */
function leastLoaded(members: readonly PoolMember[]): PoolMember | null {
  let best: PoolMember | null = null
  for (const member of members) if (best === null || isBefore(member, best)) best = member
  return best
}

function isBefore(one: PoolMember, other: PoolMember): boolean {
  const [full, otherFull] = [one.load >= one.limiter.limit(), other.load >= other.limiter.limit()]
  if (full !== otherFull) return otherFull
  const [load, otherLoad] = [one.load / one.weight, other.load / other.weight]
  return load === otherLoad ? one.share < other.share : load < otherLoad
}

/** Finds out by the times of replies whether an endpoint is asked for more than it can bear. */
export interface LatencyWatch {
  /** Takes the time of a reply and when it came, in milliseconds; says whether fewer should be asked for at the same time. */
  answered(ms: number, now: number): boolean
}

/** So many replies are looked at together. */
const WINDOW = 20

/** More than twice as slow as at best… */
const SLOWER = 2
/** … while less comes out of it: a busy server that batches is slower, and gives more. */
const FEWER = 0.75
/** What was best is forgotten by so much per window: later tasks may be longer. */
const FORGOTTEN = 1.05

/** Of an endpoint that nothing is known of. */
export function createLatencyWatch(): LatencyWatch {
  let [least, most] = [Infinity, 0]
  let [sum, count, since] = [0, 0, 0]
  return {
    answered: (ms, now) => {
      if (count === 0) since = now - ms
      sum += ms
      count += 1
      if (count < WINDOW) return false
      const [latency, rate] = [sum / count, count / Math.max(1, now - since)]
      ;[sum, count] = [0, 0]
      least = Math.min(least * FORGOTTEN, latency)
      most = Math.max(most / FORGOTTEN, rate)
      return latency > SLOWER * least && rate < FEWER * most
    },
  }
}
