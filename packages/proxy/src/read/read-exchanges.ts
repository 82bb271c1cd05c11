import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { RecordLine } from '../record/record-line.ts'
import { readFrames } from './read-frames.ts'
import type { RecordedChunk, RecordedExchange } from './recorded-exchange.ts'

/** Bytes of exchanges that have not ended; beyond, the oldest is given as it is. */
const MOST_OPEN_BYTES = 512_000_000

interface Open {
  exchange: Omit<RecordedExchange, 'chunks'>
  readonly chunks: RecordedChunk[]
  bytes: number
}

/**
 * The exchanges of one file of a recording, each when it has ended; those without an end last. A file that breaks off, as when the
 * disk was full, gives what it holds; where it breaks off between exchanges, the last one holds nothing.
 *
 * @throws the system's error for a file that cannot be read
 */
export async function* readExchanges(path: string): AsyncGenerator<RecordedExchange> {
  const open = new Map<number, Open>()
  let bytes = 0
  const onTorn = (): void => {
    if (open.size === 0) open.set(-1, begin(`${basename(path)}, its end`))
  }
  for await (const { line, body } of readFrames(createReadStream(path), onTorn)) {
    const known = open.get(line.id) ?? begin(`${basename(path)}#${line.id}`)
    open.set(line.id, known)
    const size = body?.length ?? 0
    known.bytes += size
    bytes += size
    add(known, line, body)
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

function begin(name: string): Open {
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

function add(open: Open, line: RecordLine, body: Buffer | null): void {
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
