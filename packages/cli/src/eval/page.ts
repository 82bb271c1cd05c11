import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Format } from '@callspec/core'
import type { EpisodeScore, EvalSummary, RunManifest } from '@callspec/eval'
import {
  createSummarizer,
  factsOf,
  formatsWith,
  openRun,
  readLines,
  readSummary,
  rowName,
  settledScore,
} from '@callspec/eval'
import type {
  EpisodePacker,
  EvaluationPage,
  ExampleCollector,
  PageLanguage,
  StoryCollector,
} from '@callspec/report/evaluation'
import {
  createEpisodePacker,
  createExampleCollector,
  createStoryCollector,
  renderEvaluation,
} from '@callspec/report/evaluation'
import { refusePipe } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'
import { orCannotWrite, refuseLink, writeChosenFile } from '../write-file.ts'
import { REPORT_FILES } from './report-files.ts'

export interface PageOptions {
  readonly ownFormats?: readonly Format[]
  /** The language in which it opens. Default: that of the browser. */
  readonly language?: PageLanguage
}

/**
 * The page of one or several runs of one suite: figures of `summary.json`, episodes as they were scored. Memory grows with the packed
 * texts of the runs.
 *
 * @throws RunError what `openRun` throws
 * @throws UsageError for runs of two suites, and for an episode that is in two runs
 */
async function renderRuns(
  folders: readonly string[],
  { ownFormats = [], language }: PageOptions,
): Promise<EvaluationPage> {
  const packer = createEpisodePacker(formatsWith(ownFormats))
  const examples = createExampleCollector()
  const stories = createStoryCollector()
  const parts: LoadedRun[] = []
  for (const folder of folders) parts.push(await readPart(folder, { packer, examples, stories }, ownFormats))
  const [first] = parts
  if (first === undefined) throw new UsageError('callspec report needs a run folder, or latest.')
  return renderEvaluation({
    summary: parts.length === 1 ? first.summary : joinRuns(parts),
    manifest: first.manifest,
    episodes: packer.finish(),
    examples: examples.all(),
    stories: stories.all(),
    ...(language === undefined ? {} : { language }),
  })
}

/** Writes `report.html`, and `report-data` if the page is large, into the folder of the first run; returns the page's path. */
export async function writePage(folders: readonly string[], options: PageOptions = {}): Promise<string> {
  const { html, files } = await renderRuns(folders, options)
  const path = join(folders[0] ?? '.', REPORT_FILES.html)
  await writePageData(path, files)
  await writeChosenFile(path, html)
  return path
}

interface LoadedRun {
  readonly folder: string
  readonly manifest: RunManifest
  readonly summary: EvalSummary
  readonly scores: readonly EpisodeScore[]
}

interface Collectors {
  readonly packer: EpisodePacker
  readonly examples: ExampleCollector
  readonly stories: StoryCollector
}

async function readPart(
  folder: string,
  { packer, examples, stories }: Collectors,
  ownFormats: readonly Format[],
): Promise<LoadedRun> {
  const summary = readSummary(folder, { ownFormats })
  const stored = openRun(folder, { ownFormats })
  const scores: EpisodeScore[] = []
  try {
    const tasks = new Map(stored.suite.tasks.map((task) => [task.id, task]))
    const traces = stored.traces()[Symbol.iterator]()
    const path = join(folder, REPORT_FILES.jsonl)
    await refusePipe(path)
    for await (const line of readLines(path)) {
      if (line === '') continue
      const score = JSON.parse(line) as EpisodeScore
      scores.push(score)
      // Both are in the order of the plan.
      let next = traces.next()
      while (next.done !== true && episodeKey(next.value.key) !== episodeKey(score.key)) next = traces.next()
      if (next.done === true) continue
      const task = tasks.get(score.key.task)
      const episode = {
        trace: next.value,
        score: settledScore(score, summary.rows),
        ...(task === undefined ? {} : { question: task.query, earlier: task.messages }),
      }
      packer.add(episode)
      stories.add(episode)
      examples.add({ ...episode, injection: task?.injection })
    }
  } finally {
    stored.close()
  }
  return { folder, manifest: stored.manifest, summary, scores }
}

/** Several runs as one, compared over the tasks and seeds that they share. */
function joinRuns(parts: readonly LoadedRun[]): EvalSummary {
  const [first] = parts
  if (first === undefined) throw new UsageError('callspec report needs a run folder, or latest.')
  const other = parts.find(({ manifest }) => manifest.suite.sha256 !== first.manifest.suite.sha256)
  if (other !== undefined)
    throw new UsageError(
      `${first.folder} and ${other.folder} are runs of different suites: ${suiteText(first)}, ${suiteText(other)}. One page shows one suite.`,
    )
  const union = <T>(read: (manifest: RunManifest) => readonly T[]): readonly T[] => [
    ...new Set(parts.flatMap(({ manifest }) => read(manifest))),
  ]
  const run = factsOf({
    ...first.manifest,
    models: union(({ models }) => models),
    protocols: union(({ protocols }) => protocols),
    hosts: Object.assign({}, ...parts.map(({ manifest }) => manifest.hosts)) as RunManifest['hosts'],
  })
  const summarizer = createSummarizer({ run })
  const seen = new Map<string, string>()
  for (const { folder, scores } of parts) {
    for (const score of scores) {
      const before = seen.get(episodeKey(score.key))
      if (before !== undefined)
        throw new UsageError(
          `${before} and ${folder} both hold ${score.key.task} of ${rowName(score.key)}: callspec compare shows two runs of one model.`,
        )
      seen.set(episodeKey(score.key), folder)
      summarizer.add(score)
    }
  }
  return summarizer.finish()
}

function suiteText({ manifest: { suite } }: LoadedRun): string {
  return `${suite.name} ${suite.version} (${suite.sha256.slice(0, 8)})`
}

function episodeKey({ model, protocol, task, sample }: EpisodeScore['key']): string {
  return JSON.stringify([model, protocol, task, sample])
}

/** The folder next to a page for episodes that are too many for the page. */
const DATA_FOLDER = 'report-data'
const DATA_FILE = /^\d+\.js$/

/**
 * Writes the data files next to a page and deletes those of an earlier page.
 *
 * @param files by path from the folder of the page
 * @throws UsageError for a file that cannot be written
 */
export async function writePageData(page: string, files: ReadonlyMap<string, string>): Promise<void> {
  const folder = dirname(page)
  await refuseLink(join(folder, DATA_FOLDER))
  const left = (await blocksIn(folder)).filter((name) => !files.has(`${DATA_FOLDER}/${name}`))
  for (const name of left) await rm(join(folder, DATA_FOLDER, name))
  if (files.size === 0) return
  const { mode } = await stat(folder)
  await orCannotWrite(
    join(folder, DATA_FOLDER),
    mkdir(join(folder, DATA_FOLDER), { recursive: true, mode: mode & 0o777 }),
  )
  for (const [path, text] of files) await writeChosenFile(join(folder, path), text)
}

/**
 * Copies the data files of a page to those of its copy.
 *
 * @throws UsageError for a file that cannot be written
 */
export async function copyPageData(from: string, to: string): Promise<void> {
  const [source, target] = [join(dirname(from), DATA_FOLDER), join(dirname(to), DATA_FOLDER)]
  const names = await blocksIn(dirname(from))
  if (names.length === 0 || source === target) return
  await refuseLink(target)
  await orCannotWrite(target, mkdir(target, { recursive: true }))
  for (const name of names) {
    await refusePipe(join(source, name))
    await writeChosenFile(join(target, name), await readFile(join(source, name)))
  }
}

async function blocksIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, DATA_FOLDER)).catch((): readonly string[] => [])
  return names.filter((name) => DATA_FILE.test(name))
}
