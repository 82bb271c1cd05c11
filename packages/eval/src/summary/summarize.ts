import type { EpisodeScore } from '../judging/score-episode.ts'
import type { RunFacts } from '../trace/run-manifest.ts'
import type { SummaryRow } from './row.ts'
import { createSummarizer } from './summarizer.ts'

/** Counts the episodes of every model and format, in the order in which they first appear. */
export function summarize(episodes: readonly EpisodeScore[]): readonly SummaryRow[] {
  const summarizer = createSummarizer({ run: factsOf(episodes) })
  for (const episode of episodes) summarizer.add(episode)
  return summarizer.finish().rows
}

/** What episodes say about their run, for those that come without a manifest. */
export function factsOf(episodes: readonly EpisodeScore[]): RunFacts {
  const keys = episodes.map(({ key }) => key)
  const samples = [...new Set(keys.map(({ sample }) => sample))]
  return {
    suite: { name: '', version: '', sha256: '', stored: '' },
    models: [...new Set(keys.map(({ model }) => model))],
    protocols: [...new Set(keys.map(({ protocol }) => protocol))],
    hosts: {},
    tasks: new Set(keys.map(({ task }) => task)).size,
    seed: samples.length === 0 ? 0 : Math.min(...samples),
    repeat: samples.length,
    shard: null,
    stops: 'on',
    api: 'chat',
    stream: true,
  }
}
