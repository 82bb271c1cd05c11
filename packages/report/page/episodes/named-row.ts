import type { EpisodeIndex, IndexRow } from '../../src/evaluation/episode-index.ts'

/** A row of the index with its names instead of numbers. */
export interface NamedRow {
  readonly model: string
  readonly protocol: string
  readonly task: string
  readonly sample: number
  readonly end: string
  readonly isSolved: boolean
}

/** The row of an episode; empty names for one that is not there. */
export function namedRow(episode: number, { rows, models, protocols, tasks, ends }: EpisodeIndex): NamedRow {
  const [model, protocol, task, sample, end, success] = rows[episode] ?? NOBODY
  return {
    model: models[model] ?? '',
    protocol: protocols[protocol] ?? '',
    task: tasks[task] ?? '',
    sample,
    end: ends[end] ?? '',
    isSolved: success === 1,
  }
}

const NOBODY: IndexRow = [-1, -1, -1, 0, -1, 0, []]
