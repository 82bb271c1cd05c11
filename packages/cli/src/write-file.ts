import { rmSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { access, constants, lstat, realpath, rename, rm, stat, writeFile, open, mkdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf, systemCode, UsageError } from './usage-error.ts'

/**
 * Writes a file completely or not at all: the data goes into a temporary file of the same folder, which is then renamed. A symbolic link
 * stays; a pipe or a device is written directly. Folders are not created, because the path may be misspelt.
 *
 * @param mode rights of the file, before the umask
 * @throws UsageError that names the path
 */
export async function writeFileAtomically(path: string, data: string | Uint8Array, mode = 0o666): Promise<void> {
  const target = await writeTargetOf(path)
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
 * The same for a file whose name callspec chose, in a folder that other people may have sent: refuses a symbolic link or a pipe. If only the
 * owner may read the folder, only the owner may read the file.
 *
 * @throws UsageError that names the path
 */
export async function writeChosenFile(path: string, data: string | Uint8Array): Promise<void> {
  await refuseLink(path)
  const folder = await stat(dirname(path)).catch(() => null)
  return writeFileAtomically(path, data, folder === null || (folder.mode & 0o077) !== 0 ? 0o666 : 0o600)
}

/** @throws UsageError if the path is neither a file nor a folder, such as a symbolic link */
export async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null || found.isFile() || found.isDirectory()) return
  const what = found.isSymbolicLink() ? 'a symbolic link' : 'no plain file'
  throw new UsageError(`${path}: is ${what}, and callspec writes through none there. Remove it.`)
}

/** The file to write until it is complete. */
export interface WriteTarget {
  /** The file, after symbolic links. */
  readonly path: string
  readonly writeTo: string
  /** Whether `writeTo` is renamed to `path`; not for a pipe or a device. */
  readonly isReplaced: boolean
}

/** @throws UsageError for a folder, and for a device that is a file here */
export async function writeTargetOf(path: string): Promise<WriteTarget> {
  const known = await stat(path).catch(() => null)
  if (known?.isDirectory() === true) throw new UsageError(`${path}: is a folder. Name a file.`)
  if (known !== null && !known.isFile()) return { path, writeTo: path, isReplaced: false }
  // A redirected /dev/stdout is a plain file: replacing it would lose its other output, and writing into it would mix both.
  if (known !== null && path.startsWith('/dev/'))
    throw new UsageError(`${path}: is redirected to a file. Name that file.`)
  const real = known === null ? path : await realpath(path)
  return { path: real, writeTo: join(dirname(real), `.${basename(real)}.${process.pid}.tmp`), isReplaced: true }
}

/** @throws UsageError that names the path and the reason, if `work` fails */
export async function orCannotWrite<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = systemCode(error)
    const what = code === 'ENOENT' ? 'the folder does not exist' : (code ?? messageOf(error))
    throw new UsageError(`${path}: cannot be written (${what})`)
  }
}

/** A file written line by line; it appears only when it is complete. */
export interface LineWriter {
  write(line: string): Promise<void>
  /** Writes a part of a line. */
  add(text: string): Promise<void>
  /** Renames the file to its path. */
  commit(): Promise<void>
  /** Removes the temporary file. Does nothing after `commit`. */
  discard(): Promise<void>
}

const BUFFERED_CHARACTERS = 64 * 1024

/**
 * Opens `path` for lines. They go into a temporary file of the same folder, which `commit` renames; a pipe or a device is written directly.
 * Folders are not created.
 *
 * @throws UsageError that names the path, also from `write` and `commit`
 */
export async function openLineWriter(path: string): Promise<LineWriter> {
  const target = await writeTargetOf(path)
  const { file, forget, removeTemporary } = await openGuarded(path, target)
  let held = ''
  let isOpen = true
  const close = async (): Promise<void> => {
    isOpen = false
    forget()
    await file.close()
  }
  const flush = async (): Promise<void> => {
    await file.appendFile(held)
    held = ''
  }
  const add = (text: string): Promise<void> => {
    held += text
    return held.length < BUFFERED_CHARACTERS ? Promise.resolve() : orCannotWrite(path, flush())
  }
  return {
    write: (line) => add(`${line}\n`),
    add,
    commit: async () => {
      await orCannotWrite(path, flush())
      await close()
      if (target.isReplaced) await orCannotWrite(path, rename(target.writeTo, target.path))
    },
    discard: async () => {
      if (isOpen) await close()
      removeTemporary()
    },
  }
}

interface Guarded {
  readonly file: FileHandle
  /** Removes the signal handlers. */
  forget(): void
  removeTemporary(): void
}

/** Opens a file that is removed when a signal ends the program. The handlers precede `open`: an early signal waits for it. */
async function openGuarded(path: string, target: WriteTarget): Promise<Guarded> {
  const removeTemporary = (): void => {
    if (target.isReplaced) rmSync(target.writeTo, { force: true })
  }
  let opened: Promise<FileHandle> | null = null
  const interrupted = (signal: NodeJS.Signals): void => {
    const end = (): boolean => process.kill(process.pid, signal)
    if (opened === null) end()
    else opened.then(removeTemporary, () => undefined).finally(end)
  }
  const forget = (): void => {
    for (const signal of SIGNALS) process.removeListener(signal, interrupted)
  }
  for (const signal of SIGNALS) process.once(signal, interrupted)
  try {
    opened = open(target.writeTo, target.isReplaced ? 'wx' : 'a')
    const file = await orCannotWrite(path, opened)
    return { file, forget, removeTemporary }
  } catch (error) {
    forget()
    throw error
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Makes a folder and its missing parents, one by one: Node's recursive `mkdir` never returns on some file systems, such as /proc.
 *
 * @throws UsageError that names the first folder that cannot be made
 */
export async function makeFolders(path: string): Promise<void> {
  const missing: string[] = []
  let folder = resolve(path)
  while (!(await exists(folder)) && dirname(folder) !== folder) {
    missing.push(folder)
    folder = dirname(folder)
  }
  for (const each of missing.toReversed()) await makeFolder(each)
}

/**
 * Before long work: whether files can be written into a folder that is there, or that can be made. Makes nothing.
 *
 * @throws UsageError that names what is in the way
 */
export async function checkFolder(path: string): Promise<void> {
  let folder = resolve(path)
  while (!(await exists(folder)) && dirname(folder) !== folder) folder = dirname(folder)
  const found = await stat(folder).catch(() => null)
  if (found?.isDirectory() !== true) throw new UsageError(`${folder}: is no folder. Name a folder to write to.`)
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new UsageError(
      `${folder}: cannot be written to (${systemCode(error) ?? messageOf(error)}). Name another folder.`,
    )
  })
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const code = systemCode(error)
    // Another process made it in the meantime.
    if (code !== 'EEXIST') throw new UsageError(`${path}: the folder cannot be made (${code ?? messageOf(error)})`)
  }
}

/** A file with this name counts: making a folder in it reports the error. */
async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/**
 * Writes a file and its folders, unless the path exists, even as a dangling link. Returns whether the file was written.
 *
 * @throws UsageError that names the path which cannot be written
 */
export async function writeNew(path: string, text: string): Promise<boolean> {
  if (await isThere(path)) return false
  await makeFolders(dirname(path))
  try {
    await writeFile(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    const code = systemCode(error)
    // Another process wrote it in the meantime.
    if (code === 'EEXIST') return false
    throw new UsageError(`${path}: cannot be written (${code ?? messageOf(error)}). Name another folder.`)
  }
}

/** Whether the path exists, even as a dangling link. */
export function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
