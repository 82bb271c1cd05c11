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
  /** How many tasks were tried at least k times; the others do not count. */
  readonly tasks: number
}

/**
 * pass^k and pass@k for every k up to the largest number of tries, in their combinatorial form: C(c, k) / C(n, k), not
 * (c / n)^k, which is too high for few tries. Tasks without a try do not count.
 */
export function passAt(tasks: readonly Tries[]): readonly PassAt[] {
  const most = tasks.reduce((largest, { of }) => Math.max(largest, of), 0)
  return Array.from({ length: most }, (_, index) => index + 1).map((k) => {
    const tried = tasks.filter(({ of }) => of >= k)
    const mean = (share: (task: Tries) => number): number =>
      tried.reduce((sum, task) => sum + share(task), 0) / tried.length
    return {
      k,
      all: mean(({ passed, of }) => drawn(passed, of, k)),
      any: mean(({ passed, of }) => 1 - drawn(of - passed, of, k)),
      tasks: tried.length,
    }
  })
}

/** C(hits, k) / C(of, k), without a factorial. */
function drawn(hits: number, of: number, k: number): number {
  if (hits < k) return 0
  let share = 1
  for (let each = 0; each < k; each += 1) share *= (hits - each) / (of - each)
  return share
}
