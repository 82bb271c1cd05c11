/**
 * A largest set of pairs between two sides, each member used once. Greedy matching can miss one: what fits two wishes may be
 * taken by the one that had a choice.
 *
 * Time: the smaller side squared, times the larger one.
 *
 * @param fits asked at most once per pair
 * @returns for each member of the left side the member of the right one, or -1
 */
export function maximumMatching(
  left: number,
  right: number,
  fits: (left: number, right: number) => boolean,
): readonly number[] {
  if (left > right)
    return turned(
      maximumMatching(right, left, (one, other) => fits(other, one)),
      left,
    )
  const edges = Array.from({ length: left }, (_, from) =>
    Array.from({ length: right }, (__, to) => to).filter((to) => fits(from, to)),
  )
  const ownerOf: number[] = Array.from({ length: right }, () => -1)
  for (let from = 0; from < left; from += 1) augment(from, edges, ownerOf)
  return turned(ownerOf, left)
}

/** The same pairs seen from the other side. */
function turned(owners: readonly number[], size: number): readonly number[] {
  const result: number[] = Array.from({ length: size }, () => -1)
  for (const [at, owner] of owners.entries()) if (owner >= 0) result[owner] = at
  return result
}

/** Looks for a free member along paths that give owned ones to somebody else, shortest first. */
function augment(start: number, edges: readonly (readonly number[])[], ownerOf: number[]): void {
  /** Through whom a right member was reached. */
  const reachedFrom = new Map<number, number>()
  const queue = [start]
  for (let at = 0; at < queue.length; at += 1) {
    const from = queue[at] ?? 0
    for (const to of edges[from] ?? []) {
      if (reachedFrom.has(to)) continue
      reachedFrom.set(to, from)
      const owner = ownerOf[to] ?? -1
      if (owner < 0) {
        reassign(to, { start, reachedFrom, ownerOf })
        return
      }
      queue.push(owner)
    }
  }
}

interface Path {
  readonly start: number
  readonly reachedFrom: ReadonlyMap<number, number>
  readonly ownerOf: number[]
}

function reassign(end: number, { start, reachedFrom, ownerOf }: Path): void {
  let to = end
  for (;;) {
    const from = reachedFrom.get(to) ?? start
    const before = ownerOf.indexOf(from)
    ownerOf[to] = from
    if (from === start) return
    to = before
  }
}
