import type { PairedTest } from './paired-tests.ts'

/** What it takes of a test. */
type Scatter = Pick<PairedTest, 'tasks' | 'effect' | 'interval' | 'level'>

/**
 * A difference above this would have been shown by a test over such tasks, whose differences scatter as they do here: half of
 * its interval, the wider side, and at least so many tasks as have to differ one way before any difference is.
 *
 * @returns from 0 to 1; null where so few tasks cannot show any
 */
export function smallestShown({ tasks, effect, interval, level }: Scatter): number | null {
  if (tasks === 0 || effect === null || interval === null) return null
  const [low, high] = interval
  // With k tasks that differ, all one way, the exact p is 2 / 2^k.
  const fewest = Math.floor(Math.log2(2 / level)) + 1
  const size = Math.max(effect - low, high - effect, fewest / tasks)
  return size < 1 ? size : null
}
