/**
 * Runs `work` over all items, at most `width` at a time, and gives the results in the order of the items. The first
 * exception ends it: nothing new is begun, and it is thrown when the running ones have come to their end.
 */
export async function pooled<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let next = 0
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const at = next
      next += 1
      const item = items[at]
      try {
        if (item !== undefined) results[at] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
