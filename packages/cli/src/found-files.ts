import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { exists } from './exists.ts'
import { isCodeFile, isModulePath } from './module-file.ts'
import type { Output } from './output.ts'
import { UsageError } from './usage-error.ts'

/**
 * Files that no command line names: `.env`, `callspec.config.*`, and what these name. Running a command in a folder means
 * trusting the files of that folder, as with vitest or eslint. What they decide is printed before it has an effect, and the
 * rules here limit it. docs/trust.md describes them for users.
 */

/**
 * Which modules of found files a command imports: all of them; those of a configuration that the command line names; none, of
 * which `--dry-run` is an example.
 */
export type CodeOfFiles = 'run' | 'when-named' | 'never'

/** The file that names a module. */
export interface NamingFile {
  readonly path: string
  /** Whether no command line names the file itself. */
  readonly isFound: boolean
}

/** How modules are admitted. */
export interface CodeRules {
  readonly code: CodeOfFiles
  readonly output: Output
}

/** Whether a folder holds a run. Other people send such folders, so nothing in one is configuration. */
export async function isRunFolder(folder: string): Promise<boolean> {
  return exists(join(folder, 'run.json'))
}

/**
 * Refuses a found file that belongs to another user of the machine: in a folder that several users may write to, it is theirs. And a
 * pipe, a socket or a device, which may never end.
 *
 * @param remedy what to write where the caller trusts the file
 * @throws UsageError for such a file
 */
export async function refuseForeign(path: string, remedy: string): Promise<void> {
  const target = await stat(path).catch(() => null)
  if (target !== null && !target.isFile() && !target.isDirectory())
    throw new UsageError(`${path}: is not a regular file and was not read. Remove it, or name it: ${remedy}`)
  const own = process.geteuid?.()
  if (own === undefined) return
  const found = await Promise.all([lstat(path), stat(path)]).catch(() => [])
  // Root can do anything without such a file.
  const other = found.find(({ uid }) => uid !== own && uid !== 0)
  if (other === undefined) return
  throw new UsageError(
    `${path}: belongs to another user (uid ${other.uid}) and was not read. If you trust it: ${remedy}`,
  )
}

/**
 * Admits a module that a file names, and prints the file and the module before it is imported. A module that the command line
 * names needs no admission.
 *
 * @throws UsageError where the command imports no such module, and where a found file names one outside its own folder or one
 *   of another user
 */
export async function admitModule(path: string, by: NamingFile, { code, output }: CodeRules): Promise<void> {
  // Code that runs could import the module by itself.
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
 * Refuses the module that a file of data names as its format: requests and kept cases are sent around, and are read without a look for
 * code in them.
 *
 * @param name of a format, or null where the file names none
 * @throws UsageError for a module
 */
export function refuseFormatCode(name: string | null, file: string): void {
  if (name === null || !isModulePath(name)) return
  throw new UsageError(`${file}: names the format ${name}, which is code. If you trust it: --format ${name}`)
}

/** After symbolic links; a file that is missing is judged by its name. */
async function isBelow(path: string, folder: string): Promise<boolean> {
  const real = (each: string): Promise<string> => realpath(each).catch(() => each)
  const way = relative(await real(folder), await real(path))
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !/^(?:[A-Za-z]:|[\\/])/.test(way)
}
