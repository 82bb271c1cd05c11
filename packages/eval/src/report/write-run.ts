import type { PlayedEpisode } from '../run/play-plan.ts'
import { SCORER_VERSION, summarize } from '../score/summarize.ts'
import type { SummaryRow } from '../score/summarize.ts'
import type { Suite } from '../suite/task.ts'
import { renderHtml } from './html.ts'
import type { LedgerAgreement } from './ledger-agreement.ts'
import { renderMarkdown } from './markdown.ts'
import type { RunFolder } from './run-folder.ts'

/** What a run came to; the content of `summary.json`. Holds no time, so equal runs have equal summaries. */
export interface EvalSummary {
  readonly version: 1
  readonly scorer: string
  readonly suite: { readonly version: string; readonly sha256: string }
  readonly rows: readonly SummaryRow[]
  readonly ledger: LedgerAgreement | null
}

/** Sums a run up. */
export function evalSummary(
  episodes: readonly PlayedEpisode[],
  { suite, ledger }: { readonly suite: Suite; readonly ledger: LedgerAgreement | null },
): EvalSummary {
  return {
    version: 1,
    scorer: SCORER_VERSION,
    suite: { version: suite.version, sha256: suite.hash },
    rows: summarize(episodes.map((episode) => episode.score)),
    ledger,
  }
}

/** Writes `episodes.jsonl`, `summary.json`, `report.md` and `report.html` beside the journal. */
export function writeRun(
  folder: RunFolder,
  {
    title,
    summary,
    episodes,
  }: { readonly title: string; readonly summary: EvalSummary; readonly episodes: readonly PlayedEpisode[] },
): void {
  const report = { title, rows: summary.rows, episodes, ledger: summary.ledger }
  folder.writeFile('episodes.jsonl', episodes.map(({ score }) => `${JSON.stringify(score)}\n`).join(''))
  folder.writeFile('summary.json', `${JSON.stringify(summary, null, 2)}\n`)
  folder.writeFile('report.md', renderMarkdown(report))
  folder.writeFile('report.html', renderHtml(report))
}
