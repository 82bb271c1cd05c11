import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { EndLine, RecordLine } from '../record/record-line.ts'
import type { Ending } from '../track.ts'

/** A piece of a reply, and when it arrived, in microseconds since the request began. */
export interface RecordedChunk {
  readonly at: number
  readonly bytes: Buffer
}

/** One recorded request and its reply. */
export interface RecordedExchange {
  /** File and number, for people. */
  readonly name: string
  /** Null if it is not known: logs of other programs contain only replies. */
  readonly method: string | null
  readonly path: string | null
  /** The body; null if it was left out. */
  readonly request: Buffer | null
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: readonly RecordedChunk[]
  /** Null if the recording ends before the exchange. */
  readonly how: Ending | null
  readonly lacks: EndLine['lacks'] | null
  readonly isRedacted: boolean
}

/** The most bytes of exchanges that have not ended; above it, the oldest is returned as it is. */
const MOST_OPEN_BYTES = 512_000_000

interface OpenExchange {
  exchange: Omit<RecordedExchange, 'chunks'>
  readonly chunks: RecordedChunk[]
  bytes: number
}

/**
 * The exchanges of one file of a recording, each when it has ended; those without an end last. A file that breaks off,
 * as when the disk was full, yields what it contains.
 *
 * @param onRead receives how many bytes of the file have been read
 * @throws the system's error for a file that cannot be read
 */
export async function* readExchanges(path: string, onRead?: (bytes: number) => void): AsyncGenerator<RecordedExchange> {
  const open = new Map<number, OpenExchange>()
  let bytes = 0
  const onTorn = (): void => {
    if (open.size === 0) open.set(-1, begin(`${basename(path)}, its end`))
  }
  const source = createReadStream(path)
  for await (const { line, body } of readFrames(source, onTorn)) {
    onRead?.(source.bytesRead)
    const known = open.get(line.id) ?? begin(`${basename(path)}#${line.id}`)
    open.set(line.id, known)
    const size = body?.length ?? 0
    known.bytes += size
    bytes += size
    addLine(known, line, body)
    const oldest = bytes > MOST_OPEN_BYTES ? [...open.keys()][0] : undefined
    for (const id of line.kind === 'end' ? [line.id] : oldest === undefined ? [] : [oldest]) {
      const over = open.get(id)
      open.delete(id)
      bytes -= over?.bytes ?? 0
      if (over !== undefined) yield { ...over.exchange, chunks: over.chunks }
    }
  }
  for (const { exchange, chunks } of open.values()) yield { ...exchange, chunks }
}

function begin(name: string): OpenExchange {
  const exchange = {
    name,
    method: null,
    path: null,
    request: null,
    status: null,
    headers: {},
    how: null,
    lacks: null,
    isRedacted: false,
  }
  return { exchange, chunks: [], bytes: 0 }
}

function addLine(open: OpenExchange, line: RecordLine, body: Buffer | null): void {
  switch (line.kind) {
    case 'request':
      open.exchange = { ...open.exchange, method: line.method, path: line.path, request: body }
      return
    case 'head':
      open.exchange = { ...open.exchange, status: line.status, headers: line.headers }
      return
    case 'chunk':
      open.chunks.push({ at: line.at, bytes: body ?? Buffer.alloc(0) })
      return
    case 'end':
      open.exchange = { ...open.exchange, how: line.how, lacks: line.lacks ?? null, isRedacted: line.redacted === true }
  }
}

/** A line of a recording, and the bytes after it. */
interface RecordFrame {
  readonly line: RecordLine
  readonly body: Buffer | null
}

const LINE_FEED = 10
/** A file with a longer line is not a recording. */
const MOST_LINE_BYTES = 1_000_000

/**
 * Splits a recording into its lines. An incomplete line at the end is dropped; invalid lines are skipped. Linear.
 *
 * @param onTorn is called at the end if something was dropped there
 */
async function* readFrames(source: AsyncIterable<Buffer>, onTorn?: () => void): AsyncGenerator<RecordFrame> {
  let [held, size] = [[] as Buffer[], 0]
  let pending: { readonly line: RecordLine; readonly bytes: number } | null = null
  for await (const part of source) {
    held.push(part)
    size += part.length
    // A body of many parts is joined once.
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
      const line = readRecordLine(all.toString('utf8', 0, end))
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

/** Any program may have written into the file, so the used members of a line are checked. */
function readRecordLine(text: string): RecordLine | null {
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null
    const isKnown =
      typeof value === 'object' && value !== null && LINE_KINDS.has(value['kind']) && typeof value['id'] === 'number'
    return isKnown ? (value as unknown as RecordLine) : null
  } catch {
    return null
  }
}

const LINE_KINDS: ReadonlySet<unknown> = new Set(['request', 'head', 'chunk', 'end'])

function bytesOf(line: RecordLine): number | null {
  const bytes: unknown = 'bytes' in line ? line.bytes : null
  return Number.isSafeInteger(bytes) && (bytes as number) >= 0 ? (bytes as number) : null
}

/** A longer stream is returned in parts. */
const MOST_BYTES = 64_000_000
/** Inside a text of JSON the quotes would be escaped. */
const END_MARK = /^data:(?:\s*\[DONE\]\s*$|.*"type":\s*"(?:message_stop|response\.(?:completed|incomplete|failed))")/

/**
 * The streams of a log of server-sent events from another program: lines `data: …`, with any lines between them. A
 * stream ends with `data: [DONE]`, with the last event of messages or responses, or at the end of the file.
 *
 * @param onRead receives how many bytes of the file have been read
 * @throws the system's error for a file that cannot be read
 */
export async function* readEventLog(path: string, onRead?: (bytes: number) => void): AsyncGenerator<RecordedExchange> {
  const name = basename(path)
  let [lines, bytes, count] = [[] as string[], 0, 0]
  let event: string | null = null
  const made = (): RecordedExchange => {
    count += 1
    const text = lines.map((line) => `${line}\n\n`).join('')
    lines = []
    bytes = 0
    return { ...EMPTY_EXCHANGE, name: `${name}#${count}`, chunks: [{ at: 0, bytes: Buffer.from(text) }] }
  }
  const source = createReadStream(path, 'utf8')
  for await (const line of linesOf(source)) {
    onRead?.(source.bytesRead)
    const data = fieldIn(line, 'data:')
    if (data === null) {
      event = fieldIn(line, 'event:') ?? event
      continue
    }
    lines.push(event === null ? data : `${event}\n${data}`)
    event = null
    bytes += data.length
    if (END_MARK.test(data) || bytes > MOST_BYTES) yield made()
  }
  if (lines.length > 0) yield made()
}

/** A field of an event; null if the line is not one. Some logs write a time before it. */
function fieldIn(line: string, field: string): string | null {
  const at = line.indexOf(field)
  return at < 0 || at > MOST_BEFORE ? null : line.slice(at).trimEnd()
}

const MOST_BEFORE = 80

const EMPTY_EXCHANGE: Omit<RecordedExchange, 'name' | 'chunks'> = {
  ...{ method: null, path: null, request: null, status: 200, lacks: null, isRedacted: false, how: 'complete' },
  headers: { 'content-type': 'text/event-stream' },
}

/** Only a line feed ends a line: JSON may contain U+2028. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...rest] = chunk.split('\n')
    parts.push(first)
    for (const next of rest) {
      yield parts.join('')
      parts = [next]
    }
  }
  yield parts.join('')
}
