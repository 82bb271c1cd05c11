import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { textOfFile } from '../input-file.ts'
import type { OptionTable } from '../command.ts'
import { objectIn } from '../data-file.ts'
import { didYouMean, UsageError } from '../usage-error.ts'

export const REPORTS: OptionTable = { reports: { value: 'DIR', help: 'Folder of the run folders. Default: reports.' } }

/**
 * The folder that a word means: a path, the name of a folder in `reports`, or `latest` for the run that ended last.
 *
 * @throws UsageError if there is no such run
 */
export async function runFolderOf(word: string, reports: string): Promise<string> {
  const name = word.replace(/\/+$/, '')
  if (namesLatest(word)) return latestIn(reportsOf(word, reports))
  for (const candidate of [name, join(reports, name)]) if (await isFolder(candidate)) return candidate
  const hint = didYouMean(basename(name), ['latest', ...(await readdir(reports).catch(() => []))])
  throw new UsageError(
    `${word}: there is no such run folder.${hint} Give a folder such as ${reports}/2026-01-31T12-00-00-1a2b3c4d, or latest.`,
  )
}

/** Whether a word can mean a run; not the page of all runs, which `reports/*` contains. */
export function namesRun(word: string): boolean {
  return basename(word) !== 'index.html'
}

/** `latest`, or `reports/latest`, the file that Tab completes. */
export function namesLatest(word: string): boolean {
  return /(?:^|\/)latest\/*$/.test(word)
}

function reportsOf(word: string, reports: string): string {
  return word === 'latest' ? reports : join(word, '..')
}

/**
 * `runFolderOf`, or the file of a baseline.
 *
 * @throws UsageError if there is neither
 */
export async function runFolderOrFile(word: string, reports: string): Promise<string> {
  if (namesLatest(word)) return runFolderOf(word, reports)
  const isFile = await stat(word).then(
    (found) => found.isFile(),
    () => false,
  )
  return isFile ? word : runFolderOf(word, reports)
}

/**
 * The run of `--resume` without a folder: the last one that was interrupted, else with --retry-errors the last one.
 *
 * @throws UsageError if there is no such run
 */
export async function lastInterrupted(word: string, defaultReports: string, retryErrors: boolean): Promise<string> {
  const reports = namesLatest(word) ? reportsOf(word, defaultReports) : defaultReports
  const names = await readdir(reports).catch(() => [])
  // Names begin with the time of the start.
  for (const name of names
    .filter((each) => /^\d{4}-/.test(each))
    .toSorted()
    .toReversed()) {
    const folder = join(reports, name)
    if (await isUnfinished(folder)) return folder
  }
  if (retryErrors) return latestIn(reports)
  throw new UsageError(`${reports} has no run that was interrupted. Name the folder: --resume RUN.`)
}

async function isUnfinished(folder: string): Promise<boolean> {
  const manifest = (await textOfFile(join(folder, 'run.json'))) ?? ''
  return objectIn(manifest)?.['finishedAt'] === null
}

async function latestIn(reports: string): Promise<string> {
  const text = (await textOfFile(join(reports, 'latest'))) ?? ''
  const folder = join(reports, basename(text.trim()))
  if (text.trim() !== '' && (await isFolder(folder))) return folder
  throw new UsageError(`${reports} has no last run. Name a run folder.`)
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
