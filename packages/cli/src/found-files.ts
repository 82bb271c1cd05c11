import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep, resolve } from 'node:path'
import { exists, isCodeFile, isModulePath } from './input-file.ts'
import type { Output } from './output.ts'
import { UsageError, messageOf } from './usage-error.ts'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Files that no command line names: `.env`, `callspec.config.*`, and those that they name. Running a command in a folder means trusting its
 * files, as with vitest or eslint. The decisions of such files are printed before they take effect, and the rules here limit them.
 * docs/trust.md describes them for users.
 */

/**
 * Modules of found files that a command imports: all; only those of a configuration named on the command line; none, as with `--dry-run`.
 */
export type CodeOfFiles = 'run' | 'when-named' | 'never'

/** The file that names a module. */
export interface NamingFile {
  readonly path: string
  /** Whether no command line names the file itself. */
  readonly isFound: boolean
}

export interface CodeRules {
  readonly code: CodeOfFiles
  readonly output: Output
}

/** Whether a folder holds a run. Runs are passed between people, so no file in one is configuration. */
export async function isRunFolder(folder: string): Promise<boolean> {
  return exists(join(folder, 'run.json'))
}

/**
 * Refuses a found file of another user of the machine, since several users may write to the folder. Also refuses a pipe, a socket or a
 * device, which may never end.
 *
 * @param remedy what to write if the user trusts the file
 * @throws UsageError for such a file
 */
export async function refuseForeign(path: string, remedy: string): Promise<void> {
  const target = await stat(path).catch(() => null)
  if (target !== null && !target.isFile() && !target.isDirectory())
    throw new UsageError(`${path}: is not a regular file and was not read. Remove it, or name it: ${remedy}`)
  const own = process.geteuid?.()
  if (own === undefined) return
  const found = await Promise.all([lstat(path), stat(path)]).catch(() => [])
  // Root can run code without such a file.
  const other = found.find(({ uid }) => uid !== own && uid !== 0)
  if (other === undefined) return
  throw new UsageError(
    `${path}: belongs to another user (uid ${other.uid}) and was not read. If you trust it: ${remedy}`,
  )
}

/**
 * Admits a module that a file names, and prints both before the import. A module named on the command line needs no admission.
 *
 * @throws UsageError if the command imports no such module, and if a found file names one outside its own folder or of another user
 */
export async function admitModule(path: string, by: NamingFile, { code, output }: CodeRules): Promise<void> {
  // Code that runs could import the module anyway.
  const isOpen = isCodeFile(by.path)
  if (code === 'never' && !isOpen)
    throw new UsageError(
      `${path}: is code, named by ${by.path}, and --dry-run runs no such code. If you trust it, name it on the command line.`,
    )
  if (by.isFound && !isOpen) {
    if (code === 'when-named')
      throw new UsageError(
        `${path}: is code, named by ${by.path}, which this command runs only with --config ${by.path}.`,
      )
    if (!(await isBelow(path, dirname(by.path))))
      throw new UsageError(
        `${path}: is outside the folder of ${by.path}, which names it. If you trust it: --config ${by.path}`,
      )
    await refuseForeign(path, `--config ${by.path}`)
  }
  output.note(`callspec: runs ${path} (${by.path})`)
}

/**
 * Refuses a module that a data file names as its format: people exchange requests and kept cases without looking for code in them.
 *
 * @param name of a format, or null if the file names none
 * @throws UsageError for a module
 */
export function refuseFormatCode(name: string | null, file: string): void {
  if (name === null || !isModulePath(name)) return
  throw new UsageError(`${file}: names the format ${name}, which is code. If you trust it: --format ${name}`)
}

/** Follows symbolic links. A missing file is judged by its path. */
async function isBelow(path: string, folder: string): Promise<boolean> {
  const real = (each: string): Promise<string> => realpath(each).catch(() => each)
  const way = relative(await real(folder), await real(path))
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !/^(?:[A-Za-z]:|[\\/])/.test(way)
}

/** The exports of a user's module, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>

/**
 * Imports a user's module; the path is relative to the working folder. TypeScript is transpiled without type checks, because Node 20 cannot
 * import it. In it, `callspec` is this program, installed or not.
 *
 * @throws UsageError for a missing file, or one that throws during its import
 */
export async function importModule(path: string): Promise<ModuleExports> {
  const file = resolve(path)
  const exists = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!exists) throw new UsageError(`${path}: no such file. Give the path of a JavaScript module.`)
  try {
    return await (/\.[cm]?ts$/.test(file) ? importTypeScript(file) : importJavaScript(file))
  } catch (error) {
    throw new UsageError(`${path}: cannot be imported: ${messageOf(error)}`)
  }
}

/** The modification time of each module at its first import. */
const firstTimes = new Map<string, number>()

/** Node keeps modules for ever, so a changed one gets another URL. Its own imports stay as they were. */
async function importJavaScript(file: string): Promise<ModuleExports> {
  const { mtimeMs } = await stat(file)
  const url = pathToFileURL(file)
  const first = firstTimes.get(file) ?? mtimeMs
  firstTimes.set(file, first)
  if (mtimeMs !== first) url.searchParams.set('changed', String(mtimeMs))
  return import(url.href) as Promise<ModuleExports>
}

/** The same on every version of Node: what 22.18 and later transpile themselves differs. */
async function importTypeScript(file: string): Promise<ModuleExports> {
  const { createJiti } = await import('jiti')
  const own = new URL(import.meta.url.endsWith('.ts') ? './index.ts' : './index.js', import.meta.url)
  const jiti = createJiti(import.meta.url, {
    // Leaves no files, and reads a changed file again.
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    alias: { callspec: fileURLToPath(own) },
  })
  return jiti.import<ModuleExports>(file)
}

/** For an error message: `It exports: render, other.` */
export function exportsOf(found: ModuleExports): string {
  const names = Object.keys(found)
  return names.length === 0 ? 'It exports nothing.' : `It exports: ${names.join(', ')}.`
}
