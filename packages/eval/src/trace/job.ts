import type { Task } from './task.ts'
import type { EpisodeKey } from './trace.ts'

/** One episode to play. */
export interface Job {
  readonly key: EpisodeKey
  readonly task: Task
}
