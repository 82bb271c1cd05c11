import type { EpisodeScore, EpisodeTrace, EvalSummary, RunManifest } from '@callspec/eval'
import type { PageLanguage } from '../words.ts'

/** An episode as it was recorded and as it was scored. */
export interface ReportedEpisode {
  readonly trace: EpisodeTrace
  readonly score: EpisodeScore
  /** What the task asks; absent where nobody knows the suite: then the last thing that the prompt has a user say. */
  readonly question?: string
}

/** Everything in a form that stands in a page: raw deflate in base64. */
export interface PackedEpisodes {
  readonly count: number
  readonly index: string
  readonly blocks: readonly string[]
}

/** What the page of an evaluation is made from. */
export interface EvaluationReport {
  readonly summary: EvalSummary
  readonly manifest: RunManifest
  /** All episodes, in the order of the plan. */
  readonly episodes: PackedEpisodes
  readonly language: PageLanguage
}

/** A page, and what stands beside it. */
export interface EvaluationPage {
  readonly html: string
  /** Files in folders beside the page, by their paths; none where the page holds everything. */
  readonly files: ReadonlyMap<string, string>
}
