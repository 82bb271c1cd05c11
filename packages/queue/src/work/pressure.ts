import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from 'ioredis'

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

const LOOK_MS = 200

/** Nobody asks beyond this share of the bound: what is under way then still has to be stored. */
const SHARE = 0.5

/** @param key the stream of rows. Everything in it stands in Redis twice. */
export function createPressure(redis: Redis, key: string, bound: number): Pressure {
  let bytes = 0
  let looking: Promise<void> | null = null
  const isFull = (): boolean => 2 * bytes > SHARE * bound
  const look = async (): Promise<void> => {
    await pause(LOOK_MS)
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
