import { open, rename } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { rmSync } from 'node:fs'
import { orCannotWrite, targetOf } from './write-file.ts'
import type { WriteTarget } from './write-file.ts'

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
  return {
    write: (line) => {
      held += `${line}\n`
      return held.length < BUFFERED_CHARACTERS ? Promise.resolve() : orCannotWrite(path, flush())
    },
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
  /** Lets signals be again. */
  forget(): void
  removeTemporary(): void
}

/** Opens a file that goes away when a signal ends the program. It is there before `open` says so: an early signal waits for that. */
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
