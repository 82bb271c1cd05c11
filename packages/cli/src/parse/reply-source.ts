import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import type { SourceText } from '../input-file.ts'
import { noText, readBytes, refuseTooLarge, standardInput, utf8Text, unreadableFile } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'

/** Bytes in order; a piece holds them until the next one is taken. */
type Pieces = AsyncIterable<Buffer> | Iterable<Buffer>

/** A reply in a file or in standard input. A small one has been read. */
export type ReplySource =
  | { readonly kind: 'small'; readonly name: string; readonly text: string }
  | {
      readonly kind: 'large'
      readonly name: string
      /** Enough to know the format: a megabyte. */
      readonly beginning: string
      /** All of it, as UTF-8, once: a file is read again, standard input as it arrives. */
      readonly pieces: () => Pieces
    }

/** A reply above this size, in bytes, is large. */
export const LARGE_BYTES: number = 4 * 1024 * 1024

const BEGINNING_BYTES = 1024 * 1024

/**
 * Opens a file, or standard input for `-`.
 *
 * @throws UsageError as `readSource`; the pieces of a large standard input throw it where they are not UTF-8, or become too many
 */
export async function openReply(path: string): Promise<ReplySource> {
  if (path === '-') return openStandardInput()
  try {
    const found = await stat(path)
    if (!found.isFile() || found.size <= LARGE_BYTES) return smallReply(path, await readBytes(path, found))
    refuseTooLarge(path, found.size)
    const [first = Buffer.alloc(0)] = piecesOfFile(path, BEGINNING_BYTES)
    const beginning = beginningOf(first)
    const pieces = (): Pieces => piecesOfFile(path, 256 * 1024)
    // Before anything is printed of it.
    for await (const checked of checkedPieces(path, pieces())) void checked
    return { kind: 'large', name: path, beginning, pieces }
  } catch (error) {
    throw unreadableFile(path, error)
  }
}

function smallReply(name: string, bytes: Buffer): ReplySource {
  return { kind: 'small', ...utf8Text(name, bytes) }
}

/** Without a character that is cut. */
function beginningOf(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes.subarray(0, BEGINNING_BYTES))
}

async function openStandardInput(): Promise<ReplySource> {
  const chunks = standardInput()
  const held: Buffer[] = []
  for (let size = 0; size <= LARGE_BYTES;) {
    const { done, value } = await chunks.next()
    if (done === true) return smallReply('stdin', Buffer.concat(held))
    size += value.length
    held.push(value)
  }
  const beginning = beginningOf(Buffer.concat(held))
  const all = async function* (): AsyncGenerator<Buffer> {
    for (let chunk = held.shift(); chunk !== undefined; chunk = held.shift()) yield chunk
    yield* chunks
  }
  return { kind: 'large', name: 'stdin', beginning, pieces: () => checkedPieces('stdin', all()) }
}

/** All of a reply at once. @throws UsageError as its pieces do */
export async function wholeReply(source: ReplySource): Promise<SourceText> {
  if (source.kind === 'small') return source
  const bytes: Buffer[] = []
  for await (const piece of source.pieces()) bytes.push(Buffer.from(piece))
  return { name: source.name, text: Buffer.concat(bytes).toString('utf8') }
}

function* piecesOfFile(path: string, size: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(size)
  const file = openFile(path)
  try {
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer))
      yield buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

/** @throws UsageError */
function openFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    throw unreadableFile(path, error)
  }
}

/**
 * Pieces of whole characters, checked before they are given on.
 *
 * @throws UsageError for bytes that are not UTF-8 (with the line)
 */
async function* checkedPieces(name: string, pieces: Pieces): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let lines = 0
  for await (const piece of pieces) {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece])
    const whole = bytes.subarray(0, lastCharacter(bytes))
    if (!isUtf8(whole)) throw new UsageError(noText(name, whole, lines))
    yield whole
    lines += lineBreaks(whole)
    held = Buffer.from(bytes.subarray(whole.length))
  }
  if (!isUtf8(held)) throw new UsageError(noText(name, held, lines))
  yield held
}

/** Where the last character begins, if it has more than one byte and ends the bytes: it may go on in the next ones. */
function lastCharacter(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at -= 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) return at
  }
  return bytes.length
}

function lineBreaks(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count += 1
  return count
}
