import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { Readable } from 'node:stream'
import { isJson } from '../text/json.ts'

/** A longer record (in UTF-16 units) is not an answer of a model, and may be a whole file without a line feed. */
export const MAX_RECORD_UNITS = 64_000_000

/** Joins a text that arrives in pieces, in linear time. */
export interface TextPieces {
  add(piece: string): void
  /** Returns the text so far, and starts again. Of a text beyond `MAX_RECORD_UNITS` the beginning, which is longer than that. */
  take(): string
}

export function createPieces(): TextPieces {
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

/** Receives how many bytes of a file have been read, packed as they are. */
export type OnRead = (bytes: number) => void

/**
 * The text of a file, piece by piece; `.gz` is unpacked. UTF-8, or UTF-16 if a byte order mark says so; the mark is removed.
 *
 * @param path a file, or `-` for standard input
 * @throws the file system's and zlib's errors
 */
export async function* readText(path: string, onRead?: OnRead): AsyncGenerator<string> {
  const raw: Readable & { readonly bytesRead: number } = path === '-' ? process.stdin : createReadStream(path)
  const stream = path.endsWith('.gz') ? unpackedFile(raw) : raw
  let decoder: InstanceType<typeof TextDecoder> | null = null
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    const text = decoder.decode(chunk, { stream: true })
    onRead?.(raw.bytesRead)
    if (text !== '') yield text
  }
  const last = decoder?.decode() ?? ''
  if (last !== '') yield last
}

/** PowerShell writes files in UTF-16. */
function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** An error of the file must reach the reader of the unpacked text, or it waits for ever. */
function unpackedFile(raw: Readable): Readable {
  const gunzip = createGunzip()
  raw.on('error', (error) => gunzip.destroy(error))
  return raw.pipe(gunzip)
}

/**
 * The lines of a file, one at a time; `.gz` is unpacked. Only a line feed ends a line: JSON may contain U+2028.
 *
 * @param path a file, or `-` for standard input
 * @throws the file system's and zlib's errors
 */
export function readLines(path: string, onRead?: OnRead): AsyncGenerator<string> {
  return linesOf(readText(path, onRead))
}

/** The lines of a text in chunks. Of a line beyond `MAX_RECORD_UNITS` the beginning, which is longer than that. */
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

/**
 * The elements of a JSON array, or of a sequence of JSON values, as texts, one at a time. Only brackets and quotation marks are
 * interpreted, so an element may be invalid JSON. Linear, without recursion.
 */
export async function* elementsOf(chunks: AsyncIterable<string>, within: 'array' | 'values'): AsyncGenerator<string> {
  const scanner = createScanner(within === 'array' ? 1 : 0)
  for await (const chunk of chunks) yield* scanner.push(chunk)
  yield* scanner.end()
}

interface Scanner {
  push(chunk: string): readonly string[]
  end(): readonly string[]
}

/** @param base the depth of an element */
function createScanner(base: 0 | 1): Scanner {
  const element = createPieces()
  const marks = createMarkReader()
  let depth = 0
  const finished = (): readonly string[] => {
    const text = element.take().trim()
    return text === '' ? [] : [text]
  }
  /** The end of the element at a mark: before or after it; null if the mark does not end one. */
  const endAt = (mark: Mark): number | null => {
    if (mark.sign === ',') return depth === base ? mark.at : null
    depth = Math.max(0, depth - 1)
    return depth === 0 ? mark.at + (1 - base) : null
  }
  const push = (chunk: string): readonly string[] => {
    const found: string[] = []
    let from = 0
    for (let mark = marks.next(chunk, 0); mark !== null; mark = marks.next(chunk, mark.at + 1)) {
      if (mark.sign === '[' || mark.sign === '{') {
        depth += 1
        if (depth > base) continue
        // The array begins: the text before it is not an element.
        element.take()
        from = mark.at + 1
        continue
      }
      const end = endAt(mark)
      if (end === null) continue
      element.add(chunk.slice(from, end))
      found.push(...finished())
      from = mark.at + 1
    }
    element.add(chunk.slice(from))
    return found
  }
  return { push, end: finished }
}

interface Mark {
  readonly at: number
  readonly sign: string
}

/** Finds brackets and commas outside strings, even if a string continues in the next chunk. */
function createMarkReader(): { next(chunk: string, from: number): Mark | null } {
  let inText = false
  let isEscaped = false
  const textEnd = (chunk: string, from: number): number | null => {
    let at = from
    if (isEscaped) at += 1
    isEscaped = false
    for (at = indexOf(IN_TEXT, chunk, at); at < chunk.length; at = indexOf(IN_TEXT, chunk, at + 2)) {
      if (chunk[at] === '"') return at
      isEscaped = at + 1 >= chunk.length
    }
    return null
  }
  return {
    next: (chunk, from) => {
      let at = from
      while (at < chunk.length) {
        if (inText) {
          const end = textEnd(chunk, at)
          if (end === null) return null
          inText = false
          at = end + 1
        }
        at = indexOf(OUTSIDE, chunk, at)
        const sign = chunk[at]
        if (sign === undefined) return null
        if (sign !== '"') return { at, sign }
        inText = true
        at += 1
      }
      return null
    },
  }
}

const IN_TEXT = /["\\]/g
const OUTSIDE = /["[\]{},]/g

/** The length of the text without a match. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** The records of a text: JSON Lines, elements of a JSON array, or JSON values over several lines. */
export interface JsonRecords {
  /** What a record is called when it is counted, from 1. */
  readonly unit: 'line' | 'element'
  readonly records: AsyncIterable<string>
}

/** Detects by the first lines how a text contains its records. Reads no more than needed, and loses none of it. */
export async function jsonRecords(chunks: AsyncIterable<string>): Promise<JsonRecords> {
  const iterator = chunks[Symbol.asyncIterator]()
  let head = ''
  for (let enough = false; !enough; enough = isEnough(head)) {
    const next = await iterator.next()
    if (next.done === true) break
    head += next.value
  }
  const all = replayed(head, iterator)
  const start = head.trimStart()
  if (start.startsWith('[')) return { unit: 'element', records: elementsOf(all, 'array') }
  return isSpread(start)
    ? { unit: 'element', records: elementsOf(all, 'values') }
    : { unit: 'line', records: linesOf(all) }
}

async function* replayed(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    yield head
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    // A reader that stops early closes the file.
    await rest.return?.()
  }
}

/** A value over several lines shows it in the first two, which are short. */
const HEAD_UNITS = 100_000

function isEnough(head: string): boolean {
  const start = head.trimStart()
  return start.startsWith('[') || head.length > HEAD_UNITS || start.split('\n', 3).length > 2
}

/** An object whose first line is not JSON, and whose second one begins with a key: a torn line is followed by another `{`. */
function isSpread(start: string): boolean {
  const [first = '', second = ''] = start.split('\n', 2)
  return first.startsWith('{') && /^\s*"/.test(second) && !isJson(first)
}
