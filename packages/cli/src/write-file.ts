import { lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf, systemCode, UsageError } from './usage-error.ts'

/**
 * Writes a whole file or nothing: the data goes into a temporary file beside it, which then takes its name. A symbolic
 * link stays one; a pipe or a device is written directly. Folders are not made: a misspelt one should not come into
 * being.
 *
 * @param mode rights of the file, before the umask
 * @throws UsageError that names the path
 */
export async function writeFileAtomically(path: string, data: string | Uint8Array, mode = 0o666): Promise<void> {
  const target = await targetOf(path)
  if (!target.isReplaced) return orCannotWrite(path, writeFile(path, data))
  const replace = async (): Promise<void> => {
    try {
      await writeFile(target.writeTo, data, { flag: 'wx', mode })
      await rename(target.writeTo, target.path)
    } catch (error) {
      await rm(target.writeTo, { force: true })
      throw error
    }
  }
  return orCannotWrite(path, replace())
}

/**
 * The same for a file whose name callspec has chosen, in a folder that other people may have sent: a symbolic link or a pipe in its place
 * is refused. In a folder for its owner alone the file is for them alone, too.
 *
 * @throws UsageError that names the path
 */
export async function writeChosenFile(path: string, data: string | Uint8Array): Promise<void> {
  await refuseLink(path)
  const folder = await stat(dirname(path)).catch(() => null)
  return writeFileAtomically(path, data, folder === null || (folder.mode & 0o077) !== 0 ? 0o666 : 0o600)
}

/** @throws UsageError for what is neither a file nor a folder, such as a symbolic link */
export async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null || found.isFile() || found.isDirectory()) return
  const what = found.isSymbolicLink() ? 'a symbolic link' : 'no plain file'
  throw new UsageError(`${path}: is ${what}, and callspec writes through none there. Remove it.`)
}

/** Where a file is written until it is whole. */
export interface WriteTarget {
  /** The file itself, behind symbolic links. */
  readonly path: string
  readonly writeTo: string
  /** Whether the one takes the place of the other; not for a pipe or a device. */
  readonly isReplaced: boolean
}

/** @throws UsageError for a folder, and for a device that is a file here */
export async function targetOf(path: string): Promise<WriteTarget> {
  const known = await stat(path).catch(() => null)
  if (known?.isDirectory() === true) throw new UsageError(`${path}: is a folder. Name a file.`)
  if (known !== null && !known.isFile()) return { path, writeTo: path, isReplaced: false }
  // A redirected /dev/stdout is a plain file: replacing it would lose the table, writing beside the table mixes both up.
  if (known !== null && path.startsWith('/dev/'))
    throw new UsageError(`${path}: is redirected to a file. Name that file.`)
  const real = known === null ? path : await realpath(path)
  return { path: real, writeTo: join(dirname(real), `.${basename(real)}.${process.pid}.tmp`), isReplaced: true }
}

/**
 * What `work` gives.
 *
 * @throws UsageError that names the path and says why it cannot be written
 */
export async function orCannotWrite<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = systemCode(error)
    const what = code === 'ENOENT' ? 'the folder does not exist' : (code ?? messageOf(error))
    throw new UsageError(`${path}: cannot be written (${what})`)
  }
}
