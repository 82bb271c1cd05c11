import { createWriter } from './create-writer.ts'
import type { FileListener, OpenNew } from './create-writer.ts'

/** One file of a recording: what is added goes to the disk in the background. */
export interface RecordFile {
  /** Adds a line, and the bytes behind it. */
  add(line: string, bytes?: Uint8Array): void
  /** Bytes so far, written or not. */
  size(): number
  /** Writes everything, and closes. What is added afterwards is dropped. */
  finish(): Promise<void>
}

/** So much is written at once, and waits no longer than this for more. */
const BLOCK_BYTES = 262_144
const LONGEST_WAIT_MS = 200
/** Blocks of memory that are kept, 16 MB: new ones cost the system more than filling them does. */
const MOST_SPARE = 64
const LINE_FEED = 10
/** Up to here text is written by hand: a call out of JavaScript costs more than so many characters. */
const MOST_BY_HAND = 120

/** Opens nothing before there is a line. */
export function createRecordFile(name: string, openNew: OpenNew, listener: FileListener): RecordFile {
  const writer = createWriter(() => openNew(name), listener)
  const spare: Buffer[] = []
  let block: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  let [used, size] = [0, 0]
  let timer: ReturnType<typeof setTimeout> | null = null
  let isFinished = false
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (used === 0) return
    const full = block
    writer.write(full.subarray(0, used), () => {
      if (spare.length < MOST_SPARE) spare.push(full)
    })
    block = spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)
    used = 0
  }
  const put = (bytes: Uint8Array): void => {
    if (bytes.length >= block.length - used) flush()
    if (bytes.length >= block.length) return writer.write(bytes)
    // A copy: whoever keeps a chunk keeps the block of memory that it came in.
    block.set(bytes, used)
    used += bytes.length
  }
  /** Text and a line feed. No character takes more than three bytes for each of its units. */
  const putLine = (text: string): void => {
    if (text.length * 3 + 1 > block.length - used) flush()
    if (text.length * 3 + 1 > block.length) return put(Buffer.from(`${text}\n`))
    used += writeText(block, text, used)
    putLineFeed()
  }
  const putLineFeed = (): void => {
    if (used === block.length) flush()
    block[used] = LINE_FEED
    used += 1
  }
  return {
    size: () => size,
    add: (line, bytes) => {
      if (isFinished) return
      // Nearly all of a line is ASCII, and when a file is full need not be exact.
      size += line.length + 1 + (bytes === undefined ? 0 : bytes.length + 1)
      putLine(line)
      if (bytes !== undefined) {
        put(bytes)
        putLineFeed()
      }
      if (used > 0) timer ??= setTimeout(flush, LONGEST_WAIT_MS)
    },
    finish: async () => {
      isFinished = true
      flush()
      await writer.finish()
    },
  }
}

/** How many bytes it took. There is room for them. */
function writeText(block: Buffer, text: string, from: number): number {
  if (text.length > MOST_BY_HAND) return block.write(text, from)
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 127) return block.write(text, from)
    block[from + at] = code
  }
  return text.length
}
