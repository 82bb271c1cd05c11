import type { OpenNew } from './create-writer.ts'
import { createRecordFile } from './record-file.ts'
import type { RecordFile } from './record-file.ts'

/** A file, taken for one exchange. */
export interface TakenFile extends Pick<RecordFile, 'add' | 'addChunk'> {
  /** Nothing more of the exchange comes. */
  leave(): void
}

/** The files of one recording, one after the other. */
export interface RecordFiles {
  /** The one that the next exchange goes into, all of it. */
  take(): TakenFile
  /** Bytes that wait for the disk. */
  pending(): number
  /** How many there were. */
  count(): number
  /** Writes everything, and closes them. */
  finish(): Promise<void>
}

/** How files are made. */
export interface FilesOptions {
  readonly openNew: OpenNew
  /** The name of a file by its number, from 1. */
  readonly nameOf: (number: number) => string
  /** One that is larger takes no further exchange. */
  readonly maxBytes: number
  /** The disk takes no more. */
  readonly onError: (error: Error) => void
}

interface Opened {
  readonly file: RecordFile
  writers: number
}

/** A file that is full is closed when nobody writes into it any more. */
export function createFiles({ openNew, nameOf, maxBytes, onError }: FilesOptions): RecordFiles {
  const open = new Set<Opened>()
  let [pending, count] = [0, 0]
  let current: Opened | null = null
  const onPending = (change: number): void => {
    pending += change
  }
  const settle = (left: Opened): void => {
    if (left === current || left.writers > 0) return
    void left.file.finish().finally(() => open.delete(left))
  }
  const openNext = (): Opened => {
    count += 1
    const made = { file: createRecordFile(nameOf(count), openNew, { onPending, onError }), writers: 0 }
    open.add(made)
    return made
  }
  return {
    pending: () => pending,
    count: () => count,
    take: () => {
      const full = current !== null && current.file.size() >= maxBytes ? current : null
      if (full !== null) current = null
      current ??= openNext()
      const taken = current
      taken.writers += 1
      if (full !== null) settle(full)
      const leave = (): void => {
        taken.writers -= 1
        settle(taken)
      }
      return { add: taken.file.add, addChunk: taken.file.addChunk, leave }
    },
    finish: async () => {
      await Promise.all([...open].map(({ file }) => file.finish()))
    },
  }
}
