import { readdir, stat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLines } from '@callspec/eval'
import { TEXT_FIELDS } from '@callspec/eval/outputs'
import { refusePipe } from '../input-file.ts'
import { objectIn } from '../data-file.ts'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'
import type { Finding, Regression } from '@callspec/fuzz'
import { regressionOf, readRegression, checkRegression } from '@callspec/fuzz'
import { makeFolders, writeChosenFile } from '../write-file.ts'
import { plural } from '@callspec/eval/text'
import type { Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import { refuseFormatCode } from '../found-files.ts'
import { inert } from '../output.ts'
import type { ChosenSubject, SubjectRequest } from './choose-subject.ts'
import { chooseSubject } from './choose-subject.ts'

/** More texts add nothing, since they are drawn at random. */
const MOST_TEXTS = 20_000
/** Longer outputs are cut, since laws read a text many times. */
const MAX_OUTPUT = 20_000

/**
 * The recorded outputs of a file or folder: the text of each line of `.jsonl` (also gzipped), the whole of other files. Hidden files are
 * skipped.
 *
 * @throws UsageError if there is no text, or a file cannot be read
 */
export async function readCorpus(path: string): Promise<readonly string[]> {
  const texts: string[] = []
  const files = await corpusFiles(path)
  if (files[0] !== path) for (const file of files) await refusePipe(file)
  for (const file of files) {
    for await (const text of textsOf(file)) {
      if (text !== '') texts.push(text.slice(0, MAX_OUTPUT))
      if (texts.length >= MOST_TEXTS) return texts
    }
  }
  if (texts.length === 0)
    throw new UsageError(`--corpus ${path}: holds no text. Rows of JSON Lines have it under ${TEXT_FIELDS.join(', ')}.`)
  return texts
}

async function* textsOf(file: string): AsyncGenerator<string> {
  if (!/\.jsonl(?:\.gz)?$/.test(file)) {
    const lines: string[] = []
    for await (const line of readLines(file)) lines.push(line)
    yield lines.join('\n')
    return
  }
  for await (const line of readLines(file)) {
    const row = objectIn(line)
    const field = TEXT_FIELDS.find((name) => typeof row?.[name] === 'string')
    const text: unknown = field === undefined ? undefined : row?.[field]
    if (typeof text === 'string') yield text
  }
}

async function corpusFiles(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const entries = await readdir(path, { withFileTypes: true })
    return entries
      .filter((entry) => !entry.isDirectory() && !entry.isSymbolicLink() && !entry.name.startsWith('.'))
      .map((entry) => join(path, entry.name))
      .toSorted()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new UsageError(`--corpus ${path}: no such file or folder`)
    throw new UsageError(`--corpus ${path}: cannot be read (${messageOf(error)})`)
  }
}

/** The default folder of kept findings. */
export const REGRESSION_FOLDER: string = join('fixtures', 'laws', 'regressions')

/**
 * Writes one file per finding, named after format, law and breach. The same finding replaces its file.
 *
 * @returns the paths
 */
export async function saveFindings(
  findings: readonly Finding[],
  { folder, format, profile }: { readonly folder: string; readonly format: string; readonly profile: string | null },
): Promise<readonly string[]> {
  await makeFolders(folder)
  const paths: string[] = []
  for (const finding of findings) {
    const name = `${format}-${finding.law}-${finding.breach}-${finding.seed}-${finding.path}`
      .replace(/[^\w.-]+/g, '_')
      .slice(0, 120)
    const path = join(folder, `${name}.json`)
    const text = `${JSON.stringify(regressionOf(finding, { format, profile }), null, 2)}\n`
    await writeChosenFile(path, text)
    paths.push(path)
  }
  return paths
}

/**
 * Reads kept findings: files, or the `.json` files of folders.
 *
 * @throws UsageError or InputError that names the file
 */
export async function readSaved(
  paths: readonly string[],
): Promise<readonly { readonly path: string; readonly kept: Regression }[]> {
  const found: { readonly path: string; readonly kept: Regression }[] = []
  for (const given of paths) {
    for (const path of await keptFiles(given)) found.push({ path, kept: readRegression(await jsonInFile(path), path) })
  }
  return found
}

async function keptFiles(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const names = (await readdir(path)).filter((name) => name.endsWith('.json')).toSorted()
    if (names.length === 0) throw new UsageError(`${path}: holds no kept case (*.json).`)
    const files = names.map((name) => join(path, name))
    for (const file of files) await refusePipe(file)
    return files
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new UsageError(`${path}: no such file or folder`)
    throw error
  }
}

async function jsonInFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch (error) {
    throw new UsageError(`${path}: cannot be read as JSON (${messageOf(error)})`)
  }
}

/** Checks kept cases again, with the format in this process or with the program of `--impl`. */
export async function replaySaved({ options, output }: Invocation, request: SubjectRequest | null): Promise<ExitCode> {
  const saved = await readSaved(options.list('replay'))
  const opened = new Map<string, ChosenSubject>()
  let broken = 0
  try {
    for (const { path, kept } of saved) {
      if (request === null) refuseFormatCode(kept.format, path)
      const format = request?.format ?? kept.format
      const profile = request?.profile ?? kept.profile
      const key = JSON.stringify([format, profile])
      const asked: SubjectRequest = request ?? { format, profile, impl: options.text('impl'), jobs: 1, timeLimit: 5000 }
      const chosen = opened.get(key) ?? (await chooseSubject({ ...asked, format, profile }))
      opened.set(key, chosen)
      const { subject } = chosen
      const violation = await checkRegression(kept, subject)
      if (violation === null) continue
      broken += 1
      output.line(`${inert(path)}: ${kept.law} is broken again: ${inert(violation.breach)}`)
    }
  } finally {
    await Promise.all([...opened.values()].map((chosen) => chosen.close()))
  }
  output.line(`${plural(saved.length, 'kept case')}, ${broken} broken`)
  return broken === 0 ? EXIT.ok : EXIT.disagreement
}
