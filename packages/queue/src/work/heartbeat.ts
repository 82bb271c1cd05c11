import { hostname } from 'node:os'
import type { Redis } from 'ioredis'
import { runScript, script } from '../redis/script.ts'

/** What a worker says of itself. */
export interface WorkerState {
  readonly host: string
  readonly pid: number
  /** Episodes at a time, and how many of them are under way. */
  readonly slots: number
  readonly busy: number
  readonly episodes: number
  readonly asked: number
  readonly dropped: number
  /** Why it left; null while it is there. */
  readonly left: string | null
}

/** A worker as others see it. */
export interface SeenWorker extends WorkerState {
  readonly id: string
  /** Milliseconds since it was heard of, by the clock of Redis: those of the machines may differ. */
  readonly silentMs: number
}

/** One that was not heard of for so long is gone. */
const GONE_MS = 60_000

const BEAT = script(`
local now = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], (now[1] * 1000 + math.floor(now[2] / 1000)) .. ' ' .. ARGV[2])
return 1
`)

/** Tells the others that this worker is there, and what it does. */
export async function beat(
  redis: Redis,
  key: string,
  { id, state }: { readonly id: string; readonly state: Omit<WorkerState, 'host' | 'pid'> },
): Promise<void> {
  const text = JSON.stringify({ host: hostname(), pid: process.pid, ...state })
  await runScript(redis, BEAT, { keys: [key], args: [id, text] })
}

/** The workers that were heard of in the last minute; the others are forgotten. */
export async function seenWorkers(redis: Redis, key: string): Promise<readonly SeenWorker[]> {
  const [[seconds = '0', micros = '0'], all] = [(await redis.time()).map(String), await redis.hgetall(key)]
  const now = Number(seconds) * 1000 + Number(micros) / 1000
  const found: SeenWorker[] = []
  for (const [id, text] of Object.entries(all)) {
    const at = text.indexOf(' ')
    const silentMs = Math.round(now - Number(text.slice(0, at)))
    const state = stateOf(text.slice(at + 1))
    // Redis itself writes the time: one that is no number or is to come was written by something else.
    if (state === null || !(Math.abs(silentMs) <= GONE_MS)) await redis.hdel(key, id)
    else found.push({ id, ...state, silentMs: Math.max(0, silentMs) })
  }
  return found
}

function stateOf(text: string): WorkerState | null {
  try {
    const value = JSON.parse(text) as Readonly<Partial<Record<keyof WorkerState, unknown>>>
    const count = (name: keyof WorkerState): number => Number(value[name] ?? 0)
    return {
      ...{ host: String(value.host).slice(0, 100), pid: count('pid'), slots: count('slots'), busy: count('busy') },
      ...{ episodes: count('episodes'), asked: count('asked'), dropped: count('dropped') },
      left: typeof value.left === 'string' ? value.left.slice(0, 300) : null,
    }
  } catch {
    return null
  }
}
