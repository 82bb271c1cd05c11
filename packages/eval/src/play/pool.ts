/** What a pool does, and who takes its results. */
export interface PoolOptions<Item, Result> {
  /** Items at a time. */
  readonly width: number
  /** A result that is there at once is given as such: then nothing is waited for. */
  readonly work: (item: Item) => Promise<Result> | Result
  /** Takes every result, in the order of the items. */
  readonly take: (result: Result) => void
}

/** So many results that were there at once may follow each other before others get their turn. */
const BREATH = 32

/**
 * Runs `work` over all items and hands the results on in the order of the items. Items are taken when there is room for
 * them, and results are kept only while an earlier one is missing. The first exception ends it: nothing new is begun, and
 * it is thrown when the running ones have come to their end.
 */
export async function pooled<Item, Result>(
  items: Iterable<Item>,
  { width, work, take }: PoolOptions<Item, Result>,
): Promise<void> {
  const source = items[Symbol.iterator]()
  const waiting = new Map<number, Result>()
  const failures: unknown[] = []
  let [begun, taken, atOnce] = [0, 0, 0]
  const flush = (): void => {
    for (let result = waiting.get(taken); waiting.has(taken); result = waiting.get(taken)) {
      waiting.delete(taken)
      taken += 1
      take(result as Result)
    }
  }
  const worker = async (): Promise<void> => {
    try {
      while (failures.length === 0) {
        const next = source.next()
        if (next.done === true) return
        const at = begun
        begun += 1
        const result = work(next.value)
        if (result instanceof Promise) waiting.set(at, await result)
        else {
          waiting.set(at, result)
          atOnce += 1
          if (atOnce % BREATH === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        flush()
      }
    } catch (error) {
      failures.push(error)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  if (failures.length > 0) throw failures[0]
}
