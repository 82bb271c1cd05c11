/** What one task came to: successes of so many tries. */
export interface Tries {
  readonly passed: number
  readonly of: number
}

/** Reliability over several tries. */
export interface PassAt {
  readonly k: number
  /** How likely k tries, drawn without replacement from those made, all pass: the mean over tasks. */
  readonly all: number
  /** How likely at least one of them does. */
  readonly any: number
  /** How many tasks it was computed over: the same for every k. */
  readonly tasks: number
  /** Tasks that were tried another number of times, and are left out of every k. */
  readonly leftOut: number
}

/**
 * pass^k and pass@k for every k up to the number of tries, in their combinatorial form: C(c, k) / C(n, k), not (c / n)^k,
 * which is too high for few tries.
 *
 * All are computed over the same tasks, those that were tried as often as most were: over others for each k, pass^3 could be
 * above pass^1. Tasks without a try do not count.
 */
export function passAt(tasks: readonly Tries[]): readonly PassAt[] {
  const tried = tasks.filter(({ of }) => of > 0)
  const usual = usualTries(tried)
  const own = tried.filter(({ of }) => of === usual)
  const mean = (share: (task: Tries) => number): number => own.reduce((sum, task) => sum + share(task), 0) / own.length
  return Array.from({ length: usual }, (_, index) => ({
    k: index + 1,
    all: mean(({ passed, of }) => drawn(passed, of, index + 1)),
    any: mean(({ passed, of }) => 1 - drawn(of - passed, of, index + 1)),
    tasks: own.length,
    leftOut: tried.length - own.length,
  }))
}

/** The number of tries that most tasks have; of two, the larger. */
function usualTries(tasks: readonly Tries[]): number {
  const counts = new Map<number, number>()
  for (const { of } of tasks) counts.set(of, (counts.get(of) ?? 0) + 1)
  return [...counts].reduce<readonly [number, number]>(
    ([tries, count], [more, by]) => (by > count || (by === count && more > tries) ? [more, by] : [tries, count]),
    [0, 0],
  )[0]
}

/** C(hits, k) / C(of, k), without a factorial; 0 where hits are fewer than k, since one of the factors is. */
function drawn(hits: number, of: number, k: number): number {
  let share = 1
  for (let each = 0; each < k; each += 1) share *= (hits - each) / (of - each)
  return share
}
