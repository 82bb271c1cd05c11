import type { PlayedEpisode } from '../judging/played-episode.ts'
import type { EvalSummary } from '../summary/eval-summary.ts'
import { renderMarkdown } from '../report/markdown.ts'
import type { FileWriter } from './part-file.ts'
import type { RunFolder } from './run-folder.ts'

/** Writes the files of a run while it goes on. */
export interface RunWriter {
  /** Takes an episode; they are written in the order in which they come. */
  add(episode: PlayedEpisode): void
  /** Writes what needs all of them. */
  finish(summary: EvalSummary): void
}

/** So many episodes with, and without success are shown in reports; `episodes.jsonl` has all of them. */
const SHOWN = 200

/**
 * Writes `episodes.jsonl` episode by episode, and at the end `summary.json` and `report.md`. What is kept in
 * memory does not grow with the run.
 */
export function createRunWriter(folder: Pick<RunFolder, 'startFile' | 'writeFile'>, title: string): RunWriter {
  let lines: FileWriter | null = null
  const kept = { failed: [] as PlayedEpisode[], succeeded: [] as PlayedEpisode[] }
  let seen = 0
  const open = (): FileWriter => {
    lines ??= folder.startFile('episodes.jsonl')
    return lines
  }
  return {
    add: (episode) => {
      open().add(`${JSON.stringify(episode.score)}\n`)
      seen += 1
      const list = episode.score.success ? kept.succeeded : kept.failed
      if (list.length < SHOWN) list.push(episode)
    },
    finish: (summary) => {
      open().done()
      const episodes = [...kept.failed, ...kept.succeeded]
      const report = { title, summary, episodes, hidden: seen - episodes.length }
      folder.writeFile('summary.json', summaryText(summary))
      folder.writeFile('report.md', renderMarkdown(report))
    },
  }
}

/** The content of `summary.json`: one line per row, task and comparison, so that two runs can be told apart line by line. */
export function summaryText(summary: EvalSummary): string {
  const members = Object.entries(summary).map(([name, value]: [string, unknown]) => {
    if (!Array.isArray(value) || value.length === 0) return `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`
    const lines = value.map((each) => `    ${JSON.stringify(each)}`).join(',\n')
    return `  ${JSON.stringify(name)}: [\n${lines}\n  ]`
  })
  return `{\n${members.join(',\n')}\n}\n`
}
