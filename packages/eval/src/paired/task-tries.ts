import type { Differences } from '../statistics/upper-tail.ts'
import type { Pair } from './pair.ts'
import type { PairedSpec } from './paired-metric.ts'

/** What one episode adds to a figure: so much, of so much. */
export type Try = readonly [sum: number, of: number]

/** One task of a comparison: its tries on both sides, paired. Each side has something to divide by. */
export interface TaskTries {
  readonly task: string
  readonly left: readonly Try[]
  readonly right: readonly Try[]
}

/** The tasks of which a figure can be compared. */
export interface ComparedTasks {
  readonly tasks: readonly TaskTries[]
  /** Tasks without anything to divide by on one side or on both, such as a turn with a call. */
  readonly leftOut: number
  /** The tasks left out that have something on the right side, but nothing on the left. */
  readonly lost: number
}

/** Sorts pairs by task. Pairs of which something is not known are left out. */
export function tasksOf(pairs: readonly Pair[], { parts }: Pick<PairedSpec, 'parts'>): ComparedTasks {
  const found = new Map<string, { readonly left: Try[]; readonly right: Try[] }>()
  for (const pair of pairs) {
    const [left, right] = [parts(pair.left), parts(pair.right)]
    if (left === null || right === null) continue
    const task = found.get(pair.left.task) ?? { left: [], right: [] }
    found.set(pair.left.task, task)
    task.left.push(left)
    task.right.push(right)
  }
  const all = [...found].map(([task, tries]) => ({ task, ...tries }))
  const tasks = all.filter(({ left, right }) => total(left)[1] > 0 && total(right)[1] > 0)
  const lost = all.filter(({ left, right }) => total(left)[1] === 0 && total(right)[1] > 0)
  return { tasks, leftOut: all.length - tasks.length, lost: lost.length }
}

/** The figure of a task on one side: its tries together. */
export function figureOf(tries: readonly Try[]): number {
  const [sum, of] = total(tries)
  return sum / of
}

/** Left minus right, task by task. */
export function differencesOf(tasks: readonly TaskTries[]): Differences {
  let denominator: number | null = 1
  const values = tasks.map(({ left, right }) => {
    const [[one, of], [other, ofOther]] = [total(left), total(right)]
    denominator = commonMultiple(commonMultiple(denominator, of), ofOther)
    // Of whole numbers, so that equal figures differ by 0 and not by what rounding leaves.
    return (one * ofOther - other * of) / (of * ofOther)
  })
  return { values, denominator }
}

/** Where fractions have a larger common denominator, sums of them are as good as any numbers. */
const LARGEST_DENOMINATOR = 1e6

function commonMultiple(one: number | null, other: number): number | null {
  if (one === null || !Number.isInteger(other)) return null
  let [large, small] = [one, other]
  while (small > 0) [large, small] = [small, large % small]
  const multiple = (one / large) * other
  return multiple <= LARGEST_DENOMINATOR ? multiple : null
}

function total(tries: readonly Try[]): Try {
  return tries.reduce(([sum, of], [more, by]): Try => [sum + more, of + by], [0, 0])
}
