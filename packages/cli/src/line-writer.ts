import { open, realpath, rename, stat } from 'node:fs/promises'
import { rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf, systemCode, UsageError } from './usage-error.ts'

/** A file that is written line by line and appears only when it is whole. */
export interface LineWriter {
  write(line: string): Promise<void>
  /** Puts the file in its place. */
  commit(): Promise<void>
  /** Leaves nothing behind. Does nothing after `commit`. */
  discard(): Promise<void>
}

const BUFFERED_CHARACTERS = 64 * 1024

/**
 * Opens `path` for lines. They go into a temporary file in the same folder, which takes the name at `commit`; a pipe or a
 * device is written directly. Folders are not made: a misspelt one should not come into being.
 *
 * @throws UsageError that names the path, also from `write` and `commit`
 */
export async function openLineWriter(path: string): Promise<LineWriter> {
  const target = await targetOf(path)
  const file = await open(target.writeTo, target.isReplaced ? 'wx' : 'a').catch((error: unknown) => {
    throw cannotWrite(path, error)
  })
  const removeTemporary = (): void => {
    if (target.isReplaced) rmSync(target.writeTo, { force: true })
  }
  const interrupted = (signal: NodeJS.Signals): void => {
    removeTemporary()
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.once(signal, interrupted)
  let held = ''
  let isOpen = true
  const close = async (): Promise<void> => {
    isOpen = false
    for (const signal of SIGNALS) process.removeListener(signal, interrupted)
    await file.close()
  }
  const flush = async (): Promise<void> => {
    await file.appendFile(held)
    held = ''
  }
  return {
    write: (line) => {
      held += `${line}\n`
      return held.length < BUFFERED_CHARACTERS ? Promise.resolve() : named(path, flush())
    },
    commit: async () => {
      await named(path, flush())
      await close()
      if (target.isReplaced) await named(path, rename(target.writeTo, target.path))
    },
    discard: async () => {
      if (isOpen) await close()
      removeTemporary()
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

interface Target {
  /** The file itself, behind symbolic links. */
  readonly path: string
  readonly writeTo: string
  readonly isReplaced: boolean
}

async function targetOf(path: string): Promise<Target> {
  const known = await stat(path).catch(() => null)
  if (known?.isDirectory() === true) throw new UsageError(`${path}: is a folder. Name a file.`)
  if (known !== null && !known.isFile()) return { path, writeTo: path, isReplaced: false }
  // A redirected /dev/stdout is a plain file: replacing it would lose the table, writing beside the table mixes both up.
  if (known !== null && path.startsWith('/dev/'))
    throw new UsageError(`${path}: is redirected to a file. Name that file.`)
  const real = known === null ? path : await realpath(path)
  return { path: real, writeTo: join(dirname(real), `.${basename(real)}.${process.pid}.tmp`), isReplaced: true }
}

async function named(path: string, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

function cannotWrite(path: string, error: unknown): UsageError {
  return new UsageError(`${path}: cannot be written (${systemCode(error) ?? messageOf(error)})`)
}
