import type { EpisodeScore, EpisodeTrace, EvalSummary, RunManifest } from '@callspec/eval'
import type { PageLanguage } from '../words.ts'

/** An episode as it was recorded and as it was scored. */
export interface ReportedEpisode {
  readonly trace: EpisodeTrace
  readonly score: EpisodeScore
}

/** What the page of an evaluation is made from. */
export interface EvaluationReport {
  readonly summary: EvalSummary
  readonly manifest: RunManifest
  /** The episodes that the page shows, in the order of the plan. */
  readonly episodes: readonly ReportedEpisode[]
  /** How many more there are, and the name of the file beside the page that has them. */
  readonly left: { readonly episodes: number; readonly file: string | null }
  readonly language: PageLanguage
}
