import type { EpisodeScore } from '@callspec/eval'
import { csv } from './csv.ts'

const HEAD = [
  ...['model', 'protocol', 'task', 'category', 'lang', 'seed', 'end', 'clean_stop', 'verdict', 'success'],
  ...['reasons', 'progress', 'calls', 'turns', 'tokens', 'strict_labels', 'lenient_labels'],
  ...['blames', 'cause'],
]

/** One row per episode, for spreadsheets. */
export function episodesCsv(scores: Iterable<EpisodeScore>): string {
  return csv(rowsOf(scores))
}

function* rowsOf(scores: Iterable<EpisodeScore>): Generator<readonly (string | number | boolean | null)[]> {
  yield HEAD
  for (const score of scores) {
    const { key, category, lang, end, cleanStop, pass, success, reasons, progress, calls, tokens, turns } = score
    const { blames = null, rule = null } = score.attribution ?? {}
    yield [
      ...[key.model, key.protocol, key.task, category, lang, key.sample, end, cleanStop, pass, success],
      ...[
        reasons.join('; '),
        progress,
        calls,
        turns.length,
        tokens === null ? null : tokens.prompt + tokens.completion,
      ],
      turns.map((turn) => turn.strict).join(' '),
      turns.map((turn) => turn.lenient).join(' '),
      ...[blames, rule],
    ]
  }
}
