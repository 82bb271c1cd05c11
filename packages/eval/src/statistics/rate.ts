import { studentQuantile, Z } from './normal.ts'

/** A share of a count; `rate` is null when there was nothing to count, which is neither 0 nor 100 %. */
export interface Rate {
  readonly hits: number
  readonly of: number
  readonly rate: number | null
  /** A 95 % interval; null with the rate. By task where there are tasks, otherwise Wilson's. */
  readonly interval: readonly [number, number] | null
  /** Tasks that had something to count. Absent where items belong to no task, and in summaries of earlier versions. */
  readonly tasks?: number
}

/** A rate of independent items, with Wilson's interval. */
export function rate(hits: number, of: number): Rate {
  return of === 0 ? { hits, of, rate: null, interval: null } : { hits, of, rate: hits / of, interval: wilson(hits, of) }
}

/** The Wilson score interval for `hits` of `of` > 0, z = 1.959964; `worth` says how many independent items these are. */
export function wilson(hits: number, of: number, worth: number = of): readonly [number, number] {
  const share = hits / of
  const z2 = Z * Z
  const centre = (share + z2 / (2 * worth)) / (1 + z2 / worth)
  const half = (Z * Math.sqrt((share * (1 - share)) / worth + z2 / (4 * worth * worth))) / (1 + z2 / worth)
  // At the ends the formula is exact; rounding would leave 1e-17 there.
  return [hits === 0 ? 0 : Math.max(0, centre - half), hits === of ? 1 : Math.min(1, centre + half)]
}

/** What one task adds to a rate. */
export type TaskHits = readonly [hits: number, of: number]

/**
 * A rate over tasks, whose tries and replies may depend on each other. The interval is for tasks like these: Wilson's for as
 * many independent items as the tasks are worth.
 */
export function rateByTask(all: readonly TaskHits[]): Rate {
  const tasks = all.filter(([, of]) => of > 0)
  const [hits, of] = [sum(tasks, ([own]) => own), sum(tasks, ([, own]) => own)]
  if (of === 0) return { hits, of, rate: null, interval: null, tasks: 0 }
  return { hits, of, rate: hits / of, interval: wilson(hits, of, worth(tasks, { hits, of })), tasks: tasks.length }
}

/**
 * How many independent items tasks are worth: as many as would scatter like the shares of the tasks do (Kish's design effect),
 * fewer for few tasks, whose scatter is known badly (Korn and Graubard 1998). It is never below the number of tasks, which is what
 * tries are worth that always agree; tasks of different sizes count as fewer.
 *
 * Where hardly any item is hit or missed, the scatter says nothing. One made-up task that is always hit and one that never is
 * are counted with the others, so that rates near 0 and 1 do not look certain.
 */
function worth(tasks: readonly TaskHits[], { hits, of }: Pick<Rate, 'hits' | 'of'>): number {
  const mean = of / tasks.length
  const withMade: readonly TaskHits[] = [...tasks, [mean, mean], [0, mean]]
  const count = withMade.length
  const total = of + 2 * mean
  const share = (hits + mean) / total
  const squares = sum(withMade, ([own, ofOwn]) => (own - share * ofOwn) ** 2)
  const variance = ((count / (count - 1)) * squares) / total ** 2
  const items = Math.min(of, ((share * (1 - share)) / variance) * (of / total))
  const fewest = of ** 2 / sum(tasks, ([, own]) => own ** 2)
  return Math.max(fewest, items * (Z / studentQuantile(tasks.length - 1)) ** 2)
}

function sum(tasks: readonly TaskHits[], count: (task: TaskHits) => number): number {
  return tasks.reduce((total, task) => total + count(task), 0)
}
