import { smallestDrop } from '../statistics/smallest-drop.ts'
import type { DropSearch } from '../statistics/smallest-drop.ts'
import type { RawTest } from './paired-tests.ts'
import { differencesOf, figureOf } from './task-tries.ts'
import type { ComparedTasks, Try } from './task-tries.ts'

/** The smallest drop from right to left that four of five such comparisons show; see `smallestDrop`. */
export function smallestDropOf({ tasks }: ComparedTasks, search: Omit<DropSearch, 'denominator'>): number | null {
  return smallestDrop(
    tasks.map(({ left, right }) => ({ before: right, after: left })),
    { ...search, denominator: differencesOf(tasks).denominator },
  )
}

/**
 * The smallest difference of a share, either way, that four of five such comparisons show at this two-sided level. Where both sides
 * have less than half, it is the other half that is lost: from 10 % a share can rise by more than it can fall.
 *
 * @returns from 0 to 1; null where so few tasks cannot show any
 */
export function smallestDifference({ compared }: Pick<RawTest, 'compared'>, level: number): number | null {
  const { tasks } = compared
  const shares = tasks.flatMap(({ left, right }) => [figureOf(left), figureOf(right)])
  const isLow = shares.reduce((sum, share) => sum + share, 0) < shares.length / 2
  const turned = ([hits, of]: Try): Try => (isLow ? [of - hits, of] : [hits, of])
  return smallestDrop(
    tasks.map(({ left, right }) => ({ before: right.map(turned), after: left.map(turned) })),
    { tolerance: 0, level: level / 2, denominator: differencesOf(tasks).denominator },
  )
}
