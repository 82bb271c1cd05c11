import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { RunError, saidBy, systemCodeOf } from '../trace/run-error.ts'

/** A line of a file, and its offset in bytes. */
export interface FileLine {
  /** From 1. */
  readonly number: number
  readonly offset: number
  /** Without the line feed. */
  readonly length: number
  readonly text: string
  /** Whether a line feed ends it; only the last line may lack one. */
  readonly isEnded: boolean
}

/** A file that is open for reading at any place. */
export interface OpenFile {
  readonly path: string
  /** The text from `offset`, `length` bytes of UTF-8. */
  textAt(offset: number, length: number): string
  close(): void
}

const BLOCK = 1 << 20
/** A longer line is not ours, and a string could not hold it. */
const LONGEST_LINE = 256 << 20
const LINE_FEED = 0x0a

/** @throws RunError when it cannot be read */
export function openFile(path: string): OpenFile {
  refusePipe(path)
  const file = reading(path, () => openSync(path, 'r'))
  let isOpen = true
  return {
    path,
    textAt: (offset, length) => {
      const bytes = Buffer.allocUnsafe(length)
      let at = 0
      while (at < length) {
        const count = reading(path, () => readSync(file, bytes, at, length - at, offset + at))
        if (count === 0) throw new RunError(`${path} became shorter while it was read. Is another program writing it?`)
        at += count
      }
      return bytes.toString('utf8')
    },
    close: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/**
 * The lines of a file one after the other, in constant memory. Only a line feed ends a line: JSON may hold U+2028.
 *
 * @throws RunError when it cannot be read, or when a line is longer than 256 MiB
 */
export function* fileLines(path: string): Generator<FileLine> {
  refusePipe(path)
  const file = reading(path, () => openSync(path, 'r'))
  try {
    const block = Buffer.allocUnsafe(BLOCK)
    let open: Buffer[] = []
    let [number, offset, held] = [1, 0, 0]
    for (;;) {
      const count = reading(path, () => readSync(file, block, 0, BLOCK, null))
      if (count === 0) break
      let start = 0
      for (;;) {
        const feed = block.subarray(0, count).indexOf(LINE_FEED, start)
        if (feed < 0) break
        const length = held + feed - start
        const text = decodedText(open, block.subarray(start, feed))
        yield { number, offset, length, text, isEnded: true }
        number += 1
        offset += length + 1
        open = []
        held = 0
        start = feed + 1
      }
      // The block is used again, so its rest is copied.
      if (start < count) open.push(Buffer.from(block.subarray(start, count)))
      held += count - start
      if (held > LONGEST_LINE)
        throw new RunError(`${path} line ${number} is longer than ${LONGEST_LINE} bytes. Is it a file of JSON lines?`)
    }
    if (held > 0) yield { number, offset, length: held, text: decodedText(open, NO_BYTES), isEnded: false }
  } finally {
    closeSync(file)
  }
}

const NO_BYTES = Buffer.alloc(0)

function decodedText(open: readonly Buffer[], rest: Buffer): string {
  return open.length === 0 ? rest.toString('utf8') : Buffer.concat([...open, rest]).toString('utf8')
}

/**
 * Refuses a pipe, a socket or a device: reading a pipe waits until another program writes to it, and Ctrl-C does not end that.
 * Those of /dev and /proc are open already: standard input, and what a shell substitutes.
 *
 * @param remedy what to do
 * @throws RunError for such a file
 */
export function refusePipe(path: string, remedy = 'Name a file'): void {
  const found = reading(path, () => statSync(path, { throwIfNoEntry: false }))
  if (found === undefined || found.isFile() || found.isDirectory() || /^\/(?:dev|proc)\//.test(path)) return
  throw new RunError(`${path} is not a regular file, and was not read. ${remedy}`)
}

function reading<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw cannotRead(path, error)
  }
}

/** The error for a file that cannot be read, with what to do. */
export function cannotRead(path: string, error: unknown): RunError {
  const code = systemCodeOf(error)
  if (code === 'ENOENT') return new RunError(`${path} is not there. Is the name right?`)
  if (code === 'EISDIR') return new RunError(`${path} is a folder. Name a file`)
  return new RunError(`${path} cannot be read (${saidBy(error)}). Check its permissions.`)
}
