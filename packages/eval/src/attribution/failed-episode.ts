import type { EndLabel } from '@callspec/labels'
import type { ScoredTurn } from '../score/scored-turn.ts'
import type { Task } from '../trace/task.ts'
import type { EpisodeTrace } from '../trace/trace.ts'
import type { MadeCall } from '../score/verdict.ts'
import type { AttributionRule } from './attribution.ts'
import type { PromptView } from './prompt-view.ts'
import type { Exchange } from './way-causes.ts'

/** Everything the cause of a failed episode is looked for in. */
export interface FailedEpisode extends Omit<Exchange, 'line'> {
  readonly trace: EpisodeTrace
  readonly end: EndLabel
  /** Why the verdict did not pass; empty when it did. */
  readonly reasons: readonly string[]
  readonly turns: readonly ScoredTurn[]
  readonly calls: readonly MadeCall[]
  readonly task: Pick<Task, 'goldCalls' | 'maxModelCalls'>
  /** The task and the results so far, before each turn. */
  readonly givenBefore: (turn: number) => readonly string[]
  readonly prompt: Omit<PromptView, 'given'>
  /** Whether the verdict would pass if the last reply were this text. */
  readonly wouldPass: (final: string) => boolean
}

/** An episode takes over the cause of the turn that ended it, or it has one of its own. */
export type EpisodeCause = AttributionRule<FailedEpisode>
