import { hash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { InputError } from '@callspec/core'
import type { PyValue } from '@callspec/python'
import { isDict, isList } from '@callspec/python'
import type { FileContent, OnUnusable } from './case-file.ts'
import { isFixture, isGolden, joinFixture, raiseIt, readJson } from './case-file.ts'
import type { Case } from './case.ts'
import { looksLikeCase, readCase, unknownMembers } from './case.ts'
import { isGlob, readGlob, readLines, readTextFile, unreadableFile } from '../files.ts'
import { MachineryError } from '../implementation.ts'
import { ownFile, packedBelow, packedText } from '../own-files.ts'

/** A file that cases are read from. */
export interface CaseFile {
  readonly path: string
  /** Named by the user, not met in a folder: then it must be a case file. */
  readonly named: boolean
}

/**
 * Finds the files that paths, folders and globs name, each once, in a stable order. A folder stands for every
 * `.jsonl` and `.json` file below it; what is not a case file is left out when it is read.
 *
 * @throws InputError for a path that does not exist, a glob without match, and a folder without such files
 */
export async function findCaseFiles(paths: readonly string[]): Promise<readonly CaseFile[]> {
  const found = new Map<string, CaseFile>()
  for (const path of paths) {
    for (const file of await filesNamed(path)) {
      const key = resolve(file.path)
      if (!found.has(key)) found.set(key, file)
    }
  }
  const files = [...found.values()]
  if (files.length === 1) return files
  // `folder/*`, expanded here or by the shell, names the README too. One that was meant is missed by its cases.
  return files.map((file) => ({ ...file, named: file.named && isCaseFileName(file.path) }))
}

/**
 * Reads the cases one by one; a JSON Lines file is never in memory as a whole. `warn` receives files in folders that
 * hold something else, and unknown members of cases.
 *
 * @throws InputError naming file and line (or place) of the first thing that is not a case. With `leaveOut`, which receives
 * them, missing golden twins and answers and ids used twice in a file do not end the reading.
 */
export async function* readCases(
  files: readonly CaseFile[],
  warn: (message: string) => void = () => undefined,
  leaveOut: OnUnusable = raiseIt,
): AsyncGenerator<Case> {
  for (const file of files) {
    const warned = new Set<string>()
    const look = (value: PyValue, where: string): void => {
      const unknown = isDict(value) ? unknownMembers(value).filter((name) => !warned.has(name)) : []
      for (const name of unknown) {
        warned.add(name)
        warn(`${where}: has a member "${name}", which no case has; it is ignored.`)
      }
    }
    yield* (file.path.endsWith('.json') ? readJsonFile : readLinesFile)(file, { warn, leaveOut, look })
  }
}

interface Listeners {
  warn(message: string): void
  readonly leaveOut: OnUnusable
  /** Looks for unknown members of what a case was read from. */
  look(value: PyValue, where: string): void
}

/**
 * The folder of cases that came with this package; with its golden twins.
 *
 * @throws MachineryError when the package was built without them
 */
export async function builtInCases(): Promise<string> {
  const folder = ownFile('data/fixtures')
  if ((await pathKind(folder)) === 'folder') return folder
  throw new MachineryError(
    `${folder}: the built-in cases are missing. In the repository, \`pnpm build\` copies them there.`,
  )
}

async function filesNamed(path: string): Promise<readonly CaseFile[]> {
  const kind = await pathKind(path)
  if (kind === 'file') return [{ path, named: true }]
  if (kind === 'folder') {
    const files = await filesBelow(path)
    await refusePipes(files)
    if (files.length > 0) return files.map((each) => ({ path: each, named: false }))
    throw new InputError(path, 'holds no case files. A folder is searched for *.jsonl and *.json.')
  }
  if (!isGlob(path)) throw new InputError(path, 'there is no such file or folder.')
  const { folder, matches } = readGlob(path)
  const root = folder === '' ? '.' : folder
  const below = (await pathKind(root)) === 'folder' ? await filesBelow(root, () => true) : []
  const files = below.flatMap((each) => {
    const steps = relative(root, each).split(sep)
    const isMatch = matches(steps.join('/'))
    // A folder that matches stands for the case files below it, as when the shell had expanded the glob.
    const isBelowMatch = steps.some((_, at) => at > 0 && matches(steps.slice(0, at).join('/')))
    return isMatch || (isBelowMatch && isCaseFileName(each)) ? [{ path: each, named: isMatch }] : []
  })
  await refusePipes(files.map((each) => each.path))
  if (files.length === 0) throw new InputError(path, 'no file matches.')
  return files
}

async function pathKind(path: string): Promise<'file' | 'folder' | 'nothing'> {
  if (packedText(path) !== null) return 'file'
  if (packedBelow(path) !== null) return 'folder'
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return 'nothing'
    throw unreadableFile(path, error)
  }
}

/** Sorted, so that a run prints the same on every machine. Links to folders are not followed: they may lead in circles. */
async function filesBelow(
  folder: string,
  wanted: (name: string) => boolean = isCaseFileName,
): Promise<readonly string[]> {
  const packed = packedBelow(folder)
  if (packed !== null) return packed.filter(wanted)
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadableFile(folder, error)
  })
  const files: string[] = []
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) files.push(...(await filesBelow(path, wanted)))
    else if (wanted(entry.name) && (await pathKind(path)) === 'file') files.push(path)
  }
  return files
}

/**
 * Refuses pipes, sockets and devices that are found in a folder: reading a pipe may never end.
 *
 * @throws InputError for the first one
 */
async function refusePipes(paths: readonly string[]): Promise<void> {
  for (const path of paths)
    if (packedText(path) === null && !(await stat(path)).isFile())
      throw new InputError(path, 'is not a regular file and was not read. Remove it.')
}

function isCaseFileName(name: string): boolean {
  return name.endsWith('.jsonl') || name.endsWith('.json')
}

async function* readLinesFile({ path, named }: CaseFile, { warn, look }: Listeners): AsyncGenerator<Case> {
  if (!named && !isCaseFileName(path) && !(await startsWithMap(path))) {
    warn(`${path}: not a file of cases, left out.`)
    return
  }
  let isFirst = true
  for await (const { number, text } of readLines(path)) {
    const where = `${path}:${number}`
    const value = readJson(text, where)
    if (isFirst && !named && isDict(value) && !looksLikeCase(value)) {
      warn(`${path}: not a file of cases, left out.`)
      return
    }
    isFirst = false
    const item = readCase(value, where)
    look(value, where)
    yield item
  }
  if (isFirst && named) throw new InputError(path, 'is empty. A case file has one case per line.')
}

/** Whether the first line begins like JSON Lines of maps; false for what cannot be read as text. */
async function startsWithMap(path: string): Promise<boolean> {
  try {
    for await (const { text } of readLines(path)) return text.trimStart().startsWith('{')
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
  return false
}

/** A fixture with its golden twin, or JSON Lines in a file that is called `.json`. */
async function* readJsonFile(file: CaseFile, listeners: Listeners): AsyncGenerator<Case> {
  const text = await readTextFile(file.path)
  const value = jsonOrNull(text)
  if (value === null) {
    if (isDict(jsonOrNull(text.slice(0, (text + '\n').indexOf('\n'))))) yield* readLinesFile(file, listeners)
    // Damaged, but meant as a fixture. Anything else in a folder is ignored.
    else if (file.named || text.includes('"cases"')) readJson(text, file.path)
    return
  }
  if (isFixture(value)) yield* await withAnswers({ file: file.path, value }, listeners)
  else if (looksLikeCase(value)) yield readCase(value, file.path)
  else if (file.named && isGolden(value)) throw new InputError(file.path, 'is a golden file. Name its fixture instead.')
  else if (file.named) throw new InputError(file.path, 'is not a fixture: it has no "op" and "cases".')
}

async function withAnswers(fixture: FileContent, { leaveOut, look }: Listeners): Promise<readonly Case[]> {
  const golden = await readGolden(fixture.file)
  if (golden === null) {
    leaveOut(new InputError(fixture.file, `has no golden twin: ${goldenTwin(fixture.file)} does not exist.`))
    return []
  }
  const cases = joinFixture(fixture, golden, leaveOut)
  const items = fixture.value.get('cases')
  for (const [at, item] of (isList(items) ? items : []).entries()) look(item, `${fixture.file}: cases[${at}]`)
  return cases
}

function jsonOrNull(text: string): PyValue {
  try {
    return readJson(text, '')
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

/** Reads a fixture; null for any other file. */
export async function readFixture(path: string): Promise<FileContent | null> {
  const value = jsonOrNull(await readTextFile(path))
  return isFixture(value) ? { file: path, value } : null
}

/** Reads the golden twin of a fixture; null if it does not exist yet. */
export async function readGolden(path: string): Promise<FileContent | null> {
  const file = goldenTwin(path)
  if ((await pathKind(file)) !== 'file') return null
  await refusePipes([file])
  const value = readJson(await readTextFile(file), file)
  if (!isGolden(value)) throw new InputError(file, 'is not a golden file: it has no "answers".')
  return { file, value }
}

/** The same path, with `golden` in the place of the last folder that is called `fixtures`. */
function goldenTwin(path: string): string {
  const steps = resolve(path).split(sep)
  const at = steps.lastIndexOf('fixtures')
  if (at === -1) throw new InputError(path, 'is a fixture outside a folder "fixtures", so it has no golden twin.')
  return relative('.', steps.with(at, 'golden').join(sep))
}

/** Leaves out cases whose id an earlier one has, and reports them to `leaveOut`. Keeps a few bytes per case. */
export async function* distinctCases(cases: AsyncIterable<Case>, leaveOut: OnUnusable): AsyncGenerator<Case> {
  const seen = new Set<number>()
  for await (const item of cases) {
    const key = fingerprint(item.id)
    if (seen.has(key)) leaveOut(new InputError(item.where, `uses the id "${item.id}" a second time.`))
    else {
      seen.add(key)
      yield item
    }
  }
}

/** 48 bits: among a million ids, two that are taken for one are as likely as 1 to 500. */
function fingerprint(id: string): number {
  return Number.parseInt(hash('sha256', Buffer.from(id, 'utf16le'), 'hex').slice(0, 12), 16)
}
