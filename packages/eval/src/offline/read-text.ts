import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { Readable } from 'node:stream'

/** A record beyond this many UTF-16 units is no answer of a model, and may be a whole file without a line feed. */
export const MAX_RECORD_UNITS = 64_000_000

/** A text that arrives in pieces; joining them once keeps it linear. */
export interface Pieces {
  add(piece: string): void
  /** The text so far, and begins anew. Of one beyond `MAX_RECORD_UNITS` the beginning, which is longer than that. */
  take(): string
}

/** See `Pieces`. */
export function createPieces(): Pieces {
  let parts: string[] = []
  let units = 0
  return {
    add: (piece) => {
      if (units > MAX_RECORD_UNITS) return
      parts.push(piece)
      units += piece.length
    },
    take: () => {
      const text = parts.length === 1 ? (parts[0] ?? '') : parts.join('')
      parts = []
      units = 0
      return text
    },
  }
}

/**
 * The text of a file, piece by piece; `.gz` is unpacked on the way. UTF-8, or UTF-16 where a byte order mark says so; the
 * mark is no part of the text.
 *
 * @param path a file, or `-` for standard input
 * @throws the file system's and zlib's errors
 */
export async function* readText(path: string): AsyncGenerator<string> {
  const raw: Readable = path === '-' ? process.stdin : createReadStream(path)
  const stream = path.endsWith('.gz') ? unpacked(raw) : raw
  let decoder: InstanceType<typeof TextDecoder> | null = null
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const last = decoder?.decode() ?? ''
  if (last !== '') yield last
}

/** What PowerShell writes into a file is UTF-16. */
function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** An error of the file must reach the reader of the unpacked text, or it waits for ever. */
function unpacked(raw: Readable): Readable {
  const gunzip = createGunzip()
  raw.on('error', (error) => gunzip.destroy(error))
  return raw.pipe(gunzip)
}

/**
 * The lines of a file, one at a time; `.gz` is unpacked on the way. Only a line feed ends a line: JSON may hold U+2028.
 *
 * @param path a file, or `-` for standard input
 * @throws the file system's and zlib's errors
 */
export function readLines(path: string): AsyncGenerator<string> {
  return linesOf(readText(path))
}

/** The lines of a text that comes in chunks. Of a line beyond `MAX_RECORD_UNITS` the beginning, which is longer than that. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const line = createPieces()
  for await (const chunk of chunks) {
    const [first = '', ...rest] = chunk.split('\n')
    line.add(first)
    for (const next of rest) {
      yield line.take()
      line.add(next)
    }
  }
  const last = line.take()
  if (last !== '') yield last
}
