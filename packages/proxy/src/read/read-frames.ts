import type { RecordLine } from '../record/record-line.ts'

/** A line of a recording, and the bytes behind it. */
export interface Frame {
  readonly line: RecordLine
  readonly body: Buffer | null
}

const LINE_FEED = 10
/** No line is as long: what is, is no recording. */
const MOST_LINE_BYTES = 1_000_000

/**
 * Takes a recording apart. What breaks off at its end is dropped; lines that are none are passed over. Linear.
 *
 * @param onTorn is called at the end where something was dropped there
 */
export async function* readFrames(source: AsyncIterable<Buffer>, onTorn?: () => void): AsyncGenerator<Frame> {
  let [held, size] = [[] as Buffer[], 0]
  let pending: { readonly line: RecordLine; readonly bytes: number } | null = null
  for await (const part of source) {
    held.push(part)
    size += part.length
    // A body of many parts is put together once.
    if (pending !== null && size < pending.bytes + 1) continue
    let all = held.length === 1 ? part : Buffer.concat(held)
    for (;;) {
      if (pending !== null) {
        if (all.length < pending.bytes + 1) break
        yield { line: pending.line, body: Buffer.from(all.subarray(0, pending.bytes)) }
        all = all.subarray(pending.bytes + 1)
        pending = null
      }
      const end = all.indexOf(LINE_FEED)
      if (end < 0) {
        if (all.length > MOST_LINE_BYTES) all = Buffer.alloc(0)
        break
      }
      const line = lineOf(all.toString('utf8', 0, end))
      all = all.subarray(end + 1)
      if (line === null) continue
      const bytes = bytesOf(line)
      if (bytes === null) yield { line, body: null }
      else pending = { line, bytes }
    }
    held = [all]
    size = all.length
  }
  if (pending !== null || size > 0) onTorn?.()
}

/** Anybody may have written into the file: what is used of a line is checked. */
function lineOf(text: string): RecordLine | null {
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null
    const isKnown =
      typeof value === 'object' && value !== null && KINDS.has(value['kind']) && typeof value['id'] === 'number'
    return isKnown ? (value as unknown as RecordLine) : null
  } catch {
    return null
  }
}

const KINDS: ReadonlySet<unknown> = new Set(['request', 'head', 'chunk', 'end'])

function bytesOf(line: RecordLine): number | null {
  const bytes: unknown = 'bytes' in line ? line.bytes : null
  return Number.isSafeInteger(bytes) && (bytes as number) >= 0 ? (bytes as number) : null
}
