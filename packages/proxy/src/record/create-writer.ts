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
export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
