import { setTimeout as pause } from 'node:timers/promises'

/** Redis has had no room for new data for longer than is waited for. */
export class RedisFull extends Error {
  constructor() {
    super(`Redis had no room for ${FULL_PATIENCE_MS / 60_000} minutes. ${ROOM_ADVICE}`)
    this.name = 'RedisFull'
  }
}

/** What to do where Redis is full. */
export const ROOM_ADVICE = 'Raise its maxmemory, or delete other keys there.'

/** So long a Redis that is full is waited for. */
export const FULL_PATIENCE_MS = 600_000

const LOOK_MS = 200

/** Whether Redis refused a command because its memory is full. Of a refused transaction the cause is in `previousErrors`. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (/\bOOM command not allowed/.test(error.message)) return true
  const causes: unknown = 'previousErrors' in error ? error.previousErrors : []
  return Array.isArray(causes) && causes.some(isFull)
}

/** Sends commands again for as long as Redis has no room for what they write. */
export interface Room {
  /**
   * What `act` gives back.
   *
   * @throws RedisFull when there was no room for too long, and what the signal was aborted with
   */
  wait<T>(act: () => Promise<T>): Promise<T>
}

/** How a full Redis is waited for. */
export interface RoomOptions {
  readonly signal: AbortSignal
  /** Is called once, when Redis is full for the first time. */
  readonly onFull: () => void
  readonly patienceMs?: number | undefined
}

/** Redis has room until it refuses a command. */
export function createRoom({ signal, onFull, patienceMs = FULL_PATIENCE_MS }: RoomOptions): Room {
  let hasSaid = false
  return {
    wait: async (act) => {
      for (const began = performance.now(); ;) {
        try {
          return await act()
        } catch (error) {
          if (!isFull(error)) throw error
        }
        if (!hasSaid) onFull()
        hasSaid = true
        if (performance.now() - began >= patienceMs) throw new RedisFull()
        await pause(LOOK_MS, undefined, { signal })
      }
    },
  }
}
