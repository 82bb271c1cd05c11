import { access, constants, mkdir, open, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** A file that is being written. */
export interface OpenFile {
  /** Resolves when all of the bytes of all the parts are with the system. */
  write(parts: readonly Uint8Array[]): Promise<unknown>
  close(): Promise<void>
}

/** Makes a new file, which nobody else may read. */
export type OpenNew = (name: string) => Promise<OpenFile>

/** What a file tells of itself. */
export interface FileListener {
  /** So many bytes more, or fewer, wait for the disk. */
  readonly onPending: (change: number) => void
  /** The disk does not take any more. Nothing is written after it. */
  readonly onError: (error: Error) => void
}

/** Writes in the background, in order. */
export interface Writer {
  /** `onWritten`: nobody looks at the bytes any more. */
  write(bytes: Uint8Array, onWritten?: () => void): void
  /** Resolves when everything is written, and the file closed. */
  finish(): Promise<void>
}

interface Waiting {
  readonly bytes: Uint8Array
  readonly onWritten: (() => void) | undefined
}

/** Opens nothing before there is something to write. Never throws. */
export function createWriter(open: () => Promise<OpenFile>, { onPending, onError }: FileListener): Writer {
  let [waiting, isWriting, isBroken] = [[] as Waiting[], false, false]
  let file: Promise<OpenFile> | null = null
  let writing: Promise<void> = Promise.resolve()
  /** All that waits at once: one by one, a busy process would write less than it takes in. */
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const taken = waiting
      const parts = taken.map(({ bytes }) => bytes)
      waiting = []
      try {
        file ??= open()
        if (!isBroken) await (await file).write(parts)
      } catch (error) {
        isBroken = true
        onError(error instanceof Error ? error : new Error(String(error)))
      }
      onPending(-lengthOf(parts))
      for (const { onWritten } of taken) onWritten?.()
    }
    isWriting = false
  }
  return {
    write: (bytes, onWritten) => {
      onPending(bytes.length)
      waiting.push({ bytes, onWritten })
      if (isWriting) return
      isWriting = true
      writing = writeAll()
    },
    finish: async () => {
      await writing
      await (await file?.catch(() => null))?.close().catch(() => undefined)
    },
  }
}

/** How many bytes there are in all parts. */
function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

const OWNER_ONLY_FOLDER = 0o700
const OWNER_ONLY_FILE = 0o600

/**
 * Makes the folder of a recording, for its owner alone. One that is there keeps its rights.
 *
 * @returns whether others can look into it
 * @throws the system's error for what is no folder, and for one that cannot be written
 */
export async function createFolder(folder: string): Promise<{ readonly isOpenToOthers: boolean }> {
  await mkdir(folder, { mode: OWNER_ONLY_FOLDER }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  })
  const found = await stat(folder)
  if (!found.isDirectory()) throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR' })
  const { mode } = found
  await access(folder, constants.W_OK)
  return { isOpenToOthers: process.platform !== 'win32' && (mode & 0o077) !== 0 }
}

/** Makes files of a recording in a folder, for its owner alone. None that is there is written into. */
export function openNewIn(folder: string): OpenNew {
  return async (name) => {
    // A umask only takes rights away, so nobody else can read it from its beginning on.
    const handle = await open(join(folder, name), 'wx', OWNER_ONLY_FILE)
    return { write: (parts) => writeParts(handle, parts), close: () => handle.close() }
  }
}

/** A disk that is nearly full takes a part of it first, and says only then that it has no room. */
async function writeParts(handle: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  const { bytesWritten } = await handle.writev(parts)
  const rest = Buffer.concat(bytesWritten < lengthOf(parts) ? parts : []).subarray(bytesWritten)
  if (rest.length > 0) await handle.appendFile(rest)
}
