import { createBlocks } from './create-blocks.ts'
import { createWriter } from './create-writer.ts'
import type { FileListener, OpenNew } from './create-writer.ts'
import type { TimedBytes } from './timed-bytes.ts'

/** One file of a recording: what is added goes to the disk in the background. */
export interface RecordFile {
  /** Adds a line, and the bytes behind it. */
  add(line: string, bytes?: Uint8Array): void
  /** Adds a chunk, and its line: what that `begins` with, and its two numbers. */
  addChunk(begins: Uint8Array, chunk: TimedBytes): void
  /** Bytes so far, written or not. */
  size(): number
  /** Writes everything, and closes. What is added afterwards is dropped. */
  finish(): Promise<void>
}

/** Nothing waits longer than this for more. */
const LONGEST_WAIT_MS = 200
const LINE_FEED = 10
const CLOSING_BRACE = 125
/** Stands between the two numbers of a chunk's line. */
const BYTES_MEMBER = Buffer.from(',"bytes":')

/** Opens nothing before there is a line. */
export function createRecordFile(name: string, openNew: OpenNew, listener: FileListener): RecordFile {
  const writer = createWriter(() => openNew(name), listener)
  const blocks = createBlocks(writer)
  let [size, isFinished] = [0, false]
  let timer: ReturnType<typeof setTimeout> | null = null
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    blocks.flush()
  }
  const putBody = (bytes: Uint8Array): void => {
    blocks.putBytes(bytes)
    blocks.putByte(LINE_FEED)
  }
  return {
    size: () => size,
    add: (line, bytes) => {
      if (isFinished) return
      // Nearly all of a line is ASCII, and when a file is full need not be exact.
      size += line.length + 1 + (bytes === undefined ? 0 : bytes.length + 1)
      blocks.putText(line)
      blocks.putByte(LINE_FEED)
      if (bytes !== undefined) putBody(bytes)
      timer ??= setTimeout(flush, LONGEST_WAIT_MS)
    },
    addChunk: (begins, { at, bytes }) => {
      if (isFinished) return
      size += begins.length + BYTES_MEMBER.length + bytes.length
      // Hundreds a reply: a text for each would cost more to make, and to sweep up, than to write.
      blocks.putBytes(begins)
      blocks.putNumber(at)
      blocks.putBytes(BYTES_MEMBER)
      blocks.putNumber(bytes.length)
      blocks.putByte(CLOSING_BRACE)
      blocks.putByte(LINE_FEED)
      putBody(bytes)
      timer ??= setTimeout(flush, LONGEST_WAIT_MS)
    },
    finish: async () => {
      isFinished = true
      flush()
      await writer.finish()
    },
  }
}
