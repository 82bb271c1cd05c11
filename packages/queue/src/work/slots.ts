/** Places for episodes. */
export interface Slots {
  /** Waits for a place. */
  acquire(): Promise<void>
  release(): void
  /** How many are taken. */
  busy(): number
}

/** So many places; whoever waits longest gets the next one. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = []
  let taken = 0
  return {
    acquire: () => {
      if (taken < count) {
        taken += 1
        return Promise.resolve()
      }
      return new Promise((resolve) => void waiting.push(resolve))
    },
    release: () => {
      const next = waiting.shift()
      if (next === undefined) taken -= 1
      else next()
    },
    busy: () => taken,
  }
}
