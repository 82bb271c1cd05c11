import { isUtf8 } from 'node:buffer'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { readFile, stat, access } from 'node:fs/promises'
import { systemCode, messageOf, UsageError } from './usage-error.ts'

/** A text, and its name for messages. */
export interface SourceText {
  /** The path as the user wrote it, or `stdin`. */
  readonly name: string
  readonly text: string
}

/** Below the longest JavaScript string, with room for what is made of the text. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024

/**
 * Reads a file, or standard input for `-`, as UTF-8. A byte order mark and a last line break stay.
 *
 * @throws UsageError for a file that is missing, unreadable, larger than 256 MB, or not UTF-8 (with the line)
 */
export async function readSource(path: string): Promise<SourceText> {
  return textOfSource(await readSourceBytes(path))
}

/** A text before it is decoded. A large file is read again whenever its pieces are asked for, instead of being kept. */
export interface SourceBytes {
  readonly name: string
  /** Number of bytes. */
  readonly size: number
  /** A piece holds its bytes until the next one is taken. */
  pieces(): Iterable<Buffer>
}

/** @throws UsageError as `readSource`, but for bytes that are not UTF-8 */
export async function readSourceBytes(path: string): Promise<SourceBytes> {
  if (path === '-') return heldSource('stdin', await readStandardInput())
  try {
    const found = await stat(path)
    if (found.size > MAX_INPUT_BYTES) throw tooLarge(path, found.size)
    // A device tells no size, and may never end.
    if (!found.isFile() && !found.isDirectory()) return heldSource(path, await readAll(createReadStream(path), path))
    if (found.size <= WHOLE_BYTES) return heldSource(path, [await readFile(path)])
    return { name: path, size: found.size, pieces: () => piecesOfFile(path) }
  } catch (error) {
    throw unreadableFile(path, error)
  }
}

/** A larger file is not kept. */
const WHOLE_BYTES = 4 * 1024 * 1024

function heldSource(name: string, pieces: readonly Buffer[]): SourceBytes {
  return { name, size: pieces.reduce((sum, { length }) => sum + length, 0), pieces: () => pieces }
}

function* piecesOfFile(path: string): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(256 * 1024)
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

/** @throws UsageError for bytes that are not UTF-8 (with the line) */
export function textOfSource({ name, size, pieces }: SourceBytes): SourceText {
  const bytes = joined(pieces(), size)
  if (!isUtf8(bytes)) throw new UsageError(noText(name, bytes))
  return { name, text: bytes.toString('utf8') }
}

function joined(pieces: Iterable<Buffer>, size: number): Buffer {
  if (Array.isArray(pieces) && pieces.length === 1) return pieces[0] as Buffer
  const bytes = Buffer.alloc(size)
  let at = 0
  for (const piece of pieces) at += piece.copy(bytes, at)
  return bytes.subarray(0, at)
}

/**
 * The same check, without all bytes at once.
 *
 * @throws UsageError for bytes that are not UTF-8 (with the line)
 */
export function checkUtf8(source: SourceBytes): void {
  let held: Buffer = Buffer.alloc(0)
  for (const piece of source.pieces()) {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece])
    const end = lastCharacter(bytes)
    if (!isUtf8(bytes.subarray(0, end))) return void textOfSource(source)
    held = Buffer.from(bytes.subarray(end))
  }
  if (!isUtf8(held)) textOfSource(source)
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

function readStandardInput(): Promise<readonly Buffer[]> {
  if (process.stdin.isTTY) process.stderr.write('callspec: reading standard input; Ctrl-D ends it\n')
  return readAll(process.stdin, 'stdin')
}

async function readAll(stream: AsyncIterable<Buffer>, name: string): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > MAX_INPUT_BYTES) throw tooLarge(name, size)
    chunks.push(chunk)
  }
  return chunks
}

function tooLarge(name: string, size: number): UsageError {
  return new UsageError(`${name}: more than 256 MB (${size} bytes) in one text. Split it.`)
}

/** The message about a file that `stat` or reading refuses. */
export function unreadableFile(path: string, error: unknown): UsageError {
  if (error instanceof UsageError) return error
  const code = systemCode(error)
  if (code === 'ENOENT')
    return new UsageError(`${path}: ${noAddress(path) ?? 'no such file. Give a file, or - for standard input.'}`)
  if (code === 'EISDIR') return new UsageError(`${path}: this is a folder. Give a file, or - for standard input.`)
  if (code === 'ELOOP') return new UsageError(`${path}: this symbolic link leads back to itself. Give the file itself.`)
  return new UsageError(`${path}: cannot be read (${code ?? messageOf(error)})`)
}

/** What is wrong with an address that was given as a file; null for a path. */
export function noAddress(path: string): string | null {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(path) ?? []
  if (scheme === undefined) return null
  return /^https?$/i.test(scheme)
    ? 'an address, where a file is read. Fetch it, and give the file.'
    : `"${scheme}://" is no scheme that is fetched. Give http:// or https://, or a file.`
}

function noText(name: string, bytes: Buffer): string {
  const [first, second] = bytes
  if (first === 0x1f && second === 0x8b) return `${name}: packed with gzip. Unpack it first, with gunzip.`
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return `${name}: this is UTF-16. Save the file as UTF-8.`
  if (bytes.subarray(0, 8192).includes(0)) return `${name}: this is a binary file, no text. Give a file of UTF-8.`
  return `${name}:${firstBadLine(bytes)}: not UTF-8. Save the file as UTF-8.`
}

/** A line break is never part of a longer character, so lines are checked one by one. */
function firstBadLine(bytes: Buffer): number {
  let line = 1
  let start = 0
  for (;;) {
    const end = bytes.indexOf(0x0a, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
    line += 1
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    // A file without permission exists; reading it reports the error.
    return systemCode(error) !== 'ENOENT'
  }
}

/** The text of a regular file; null for anything else, such as a pipe, which may never end. */
export async function textOfFile(path: string): Promise<string | null> {
  try {
    return (await stat(path)).isFile() ? await readFile(path, 'utf8') : null
  } catch {
    return null
  }
}

/**
 * Refuses a pipe, a socket or a device found in a folder, also through a symbolic link: reading it may never end. A file that the user
 * names may be a pipe.
 *
 * @throws UsageError for such a file
 */
export async function refusePipe(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found === null || found.isFile() || found.isDirectory()) return
  throw new UsageError(`${path}: is not a regular file and was not read. Remove it.`)
}

/** Whether a name means a file: it has a slash or the ending of a module. */
export function isModulePath(name: string): boolean {
  return new RegExp(MODULE_PATH).test(name)
}

/** Whether a file is code by its name; importing it runs it. */
export function isCodeFile(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path)
}

/** The same test as a regular expression. */
export const MODULE_PATH = '[\\\\/]|\\.[cm]?[jt]s$'
