import { isUtf8 } from 'node:buffer'
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
  const name = path === '-' ? 'stdin' : path
  const bytes = path === '-' ? await readStandardInput() : await readBytes(path)
  return { name, text: decode(bytes, name) }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path)
    if (size > MAX_INPUT_BYTES) throw tooLarge(path, size)
    return await readFile(path)
  } catch (error) {
    throw unreadableFile(path, error)
  }
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  if (process.stdin.isTTY) process.stderr.write('callspec: reading standard input; Ctrl-D ends it\n')
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_INPUT_BYTES) throw tooLarge('stdin', size)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(name: string, size: number): UsageError {
  return new UsageError(`${name}: more than 256 MB (${size} bytes) in one text. Split it.`)
}

function unreadableFile(path: string, error: unknown): UsageError {
  if (error instanceof UsageError) return error
  const code = systemCode(error)
  if (code === 'ENOENT') return new UsageError(`${path}: no such file. Give a file, or - for standard input.`)
  if (code === 'EISDIR') return new UsageError(`${path}: this is a folder. Give a file, or - for standard input.`)
  return new UsageError(`${path}: cannot be read (${code ?? messageOf(error)})`)
}

function decode(bytes: Buffer, name: string): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new UsageError(`${name}:${firstBadLine(bytes)}: not UTF-8. Save the file as UTF-8.`)
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
