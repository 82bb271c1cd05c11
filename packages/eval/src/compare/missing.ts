import type { EpisodeOutcome } from '../paired/outcome.ts'

/** What only one of two runs has of a row. */
export interface Missing {
  readonly before: OneSided
  readonly after: OneSided
}

/** Tasks, and seeds, that the other side has nowhere. */
export interface OneSided {
  readonly tasks: readonly string[]
  readonly seeds: readonly number[]
}

/** Compares which tasks and which seeds two sides have. */
export function missingOf(before: readonly EpisodeOutcome[], after: readonly EpisodeOutcome[]): Missing {
  return { before: oneSided(before, after), after: oneSided(after, before) }
}

function oneSided(own: readonly EpisodeOutcome[], others: readonly EpisodeOutcome[]): OneSided {
  const [tasks, seeds] = [new Set(others.map(({ task }) => task)), new Set(others.map(({ sample }) => sample))]
  return {
    tasks: [...new Set(own.map(({ task }) => task))].filter((task) => !tasks.has(task)),
    seeds: [...new Set(own.map(({ sample }) => sample))]
      .filter((seed) => !seeds.has(seed))
      .toSorted((one, other) => one - other),
  }
}
