import { evalFormat } from '../formats/table.ts'
import type { FormatTable } from '../formats/eval-format.ts'
import type { Job, EpisodeTrace } from '../trace/trace.ts'
import { maxTokensOf } from '../trace/request-settings.ts'
import type { RequestSettings } from '../trace/request-settings.ts'
import type { Suite } from '../trace/task.ts'
import { offeredTools } from '../trace/task.ts'
import type { EpisodeScore } from './score-episode.ts'
import { scoreEpisode } from './score-episode.ts'

/** An episode as recorded and as scored. */
export interface PlayedEpisode {
  readonly trace: EpisodeTrace
  readonly score: EpisodeScore
}

/** What a recorded episode is scored with. */
export interface ScoringOptions {
  readonly suite: Suite
  /** Default: the built-in ones. */
  readonly formats?: FormatTable | undefined
  /** What the server was asked for. */
  readonly name: string
  /** The fields of the requests except the prompt. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly stops: RequestSettings['stops']
}

/** Scores a trace with the task of a suite. */
export function scored({ key, task }: Job, trace: EpisodeTrace, options: ScoringOptions): PlayedEpisode {
  const { suite, formats, name, parameters, stops } = options
  const choice = parameters['tool_choice']
  const forcesCall = choice === 'required' || (typeof choice === 'object' && choice !== null)
  const context = {
    task,
    format: evalFormat(key.protocol, formats),
    tools: offeredTools(suite, task),
    maxTokens: maxTokensOf(parameters),
    forcesCall,
    stopsSent: stops === 'on',
  }
  return {
    trace,
    score: scoreEpisode(trace, { ...context, modelNames: [key.model, name] }),
  }
}
