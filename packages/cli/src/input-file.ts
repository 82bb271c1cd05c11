import { isUtf8 } from 'node:buffer'
import type { Stats } from 'node:fs'
import { createReadStream } from 'node:fs'
import { readFile, stat, access } from 'node:fs/promises'
import { systemCode, messageOf, UsageError } from './usage-error.ts'
import { noteWait } from './work-progress.ts'

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
  if (path === '-') return utf8Text('stdin', await allOf(standardInput()))
  try {
    return utf8Text(path, await readBytes(path, await stat(path)))
  } catch (error) {
    throw unreadableFile(path, error)
  }
}

/** @throws UsageError for bytes that are not UTF-8 (with the line) */
export function utf8Text(name: string, bytes: Buffer): SourceText {
  if (!isUtf8(bytes)) throw new UsageError(noText(name, bytes))
  return { name, text: bytes.toString('utf8') }
}

/** The bytes of standard input as they arrive. @throws UsageError when they are more than 256 MB */
export function standardInput(): AsyncGenerator<Buffer, void> {
  if (process.stdin.isTTY) process.stderr.write('callspec: reading standard input; Ctrl-D ends it\n')
  return boundedBytes(process.stdin, 'stdin')
}

/** The bytes of a file, or of a device, which has no size and may never end. @throws UsageError when they are more than 256 MB */
export async function readBytes(path: string, found: Stats): Promise<Buffer> {
  refuseTooLarge(path, found.size)
  if (found.isFile() || found.isDirectory()) return readFile(path)
  if (found.isSocket()) throw new UsageError(`${path}: this is a socket. Give a file, or - for standard input.`)
  return allOf(boundedBytes(noteWaiting(createReadStream(path), path), path))
}

async function* noteWaiting(stream: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer, void> {
  const endWait = noteWait(`${path} is a pipe; waits for its writer. Ctrl-C ends it`)
  try {
    for await (const chunk of stream) {
      endWait()
      yield chunk
    }
  } finally {
    endWait()
  }
}

async function* boundedBytes(stream: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer, void> {
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    refuseTooLarge(name, size)
    yield chunk
  }
}

async function allOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** @throws UsageError for more than 256 MB */
export function refuseTooLarge(name: string, size: number): void {
  if (size > MAX_INPUT_BYTES) throw new UsageError(`${name}: more than 256 MB (${size} bytes) in one text. Split it.`)
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

/** Why bytes are no text, for the user. @param lines those before the bytes */
export function noText(name: string, bytes: Buffer, lines = 0): string {
  const [first, second] = bytes
  if (first === 0x1f && second === 0x8b) return `${name}: packed with gzip. Unpack it first, with gunzip.`
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return `${name}: this is UTF-16. Save the file as UTF-8.`
  if (bytes.subarray(0, 8192).includes(0)) return `${name}: this is a binary file, no text. Give a file of UTF-8.`
  return `${name}:${lines + firstBadLine(bytes)}: not UTF-8. Save the file as UTF-8.`
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
