import type { EpisodeOutcome } from './outcome.ts'

/** The same task with the same seed on two sides. */
export interface Pair {
  readonly left: EpisodeOutcome
  readonly right: EpisodeOutcome
}

/** Two lists joined by task and seed. */
export interface Pairing {
  /** In the order of the left side. */
  readonly pairs: readonly Pair[]
  /** Pairs that are left out because one of the two failed on the way to the server. */
  readonly broken: number
  /** Episodes that only one side has. */
  readonly unpaired: number
}

/** Joins two lists by task and seed. A task that occurs twice with one seed counts once, the last one. */
export function pairUp(left: readonly EpisodeOutcome[], right: readonly EpisodeOutcome[]): Pairing {
  const partners = byKey(right)
  const own = byKey(left)
  const pairs: Pair[] = []
  let [broken, shared] = [0, 0]
  for (const [key, one] of own) {
    const other = partners.get(key)
    if (other === undefined) continue
    shared += 1
    if (one.infra || other.infra) broken += 1
    else pairs.push({ left: one, right: other })
  }
  return { pairs, broken, unpaired: own.size + partners.size - 2 * shared }
}

function byKey(outcomes: readonly EpisodeOutcome[]): ReadonlyMap<string, EpisodeOutcome> {
  return new Map(outcomes.map((outcome) => [JSON.stringify([outcome.task, outcome.sample]), outcome]))
}
