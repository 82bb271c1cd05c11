import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { InputError } from '@callspec/core'
import { packedText } from './own-files.ts'

/** A line that is not blank. */
export interface Line {
  /** From 1; blank lines are counted too. */
  readonly number: number
  readonly text: string
}

/**
 * Reads a UTF-8 file line by line, without the blank ones. Memory is bounded by the longest line.
 *
 * @throws InputError that names file and line: unreadable, not UTF-8, a NUL byte, a line above `MAX_LINE_BYTES`
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0
  for await (const lines of splitLines(path)) {
    for (const bytes of lines) {
      number += 1
      const text = decodeText(bytes, `${path}:${number}`)
      if (!isBlankLine(text)) yield { number, text: number === 1 ? withoutMark(text) : text }
    }
  }
}

/**
 * Reads a whole UTF-8 file.
 *
 * @throws InputError that names the file: unreadable, not UTF-8, a NUL byte
 */
export async function readTextFile(path: string): Promise<string> {
  const packed = packedText(path)
  if (packed !== null) return packed
  const bytes = await readFile(path).catch((error: unknown) => {
    throw unreadableFile(path, error)
  })
  return withoutMark(decodeText(bytes, path))
}

/** What the operating system said, with the path in front. */
export function unreadableFile(path: string, error: unknown): InputError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return new InputError(path, `cannot be read (${FILE_REASONS.get(code) ?? code}).`)
}

/** A case of this size is a mistake; a longer line is not taken into memory. */
const MAX_LINE_BYTES: number = 256 * 1024 * 1024

const FILE_REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ERR_STRING_TOO_LONG', 'it is too large to be read at once'],
  ['ERR_FS_FILE_TOO_LARGE', 'it is too large to be read at once'],
])

const NEWLINE = 0x0a

/** The lines that end in a chunk, together: handing on each by itself would take longer than finding it. */
async function* splitLines(path: string): AsyncGenerator<readonly Uint8Array[]> {
  let pieces: Buffer[] = []
  let held = 0
  let number = 1
  for await (const chunk of chunksOf(path)) {
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const last = chunk.subarray(start, end)
      lines.push(pieces.length === 0 ? last : Buffer.concat([...pieces, last]))
      pieces = []
      held = 0
      start = end + 1
    }
    number += lines.length
    if (lines.length > 0) yield lines
    pieces.push(chunk.subarray(start))
    held += chunk.length - start
    if (held > MAX_LINE_BYTES) throw new InputError(`${path}:${number}`, `is longer than ${MAX_LINE_BYTES} bytes.`)
  }
  if (held > 0) yield [Buffer.concat(pieces)]
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: 256 * 1024 })
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    throw unreadableFile(path, error)
  }
}

const UTF_8_TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeText(bytes: Uint8Array, where: string): string {
  const nul = bytes.indexOf(0)
  if (nul !== -1) throw new InputError(where, `is not text: byte ${nul + 1} is NUL.`)
  try {
    return UTF_8_TEXT.decode(bytes)
  } catch {
    throw new InputError(where, 'is not UTF-8 text.')
  }
}

/** A byte order mark at the start of a file is not part of the text. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

function isBlankLine(text: string): boolean {
  return /^[ \t\r\uFEFF]*$/.test(text)
}

/** Whether a path has characters that a glob gives a meaning to. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path)
}

/**
 * Gives the folder where the search begins (`''` for the current one) and a test for paths relative to it, with `/`.
 *
 * `*` and `?` stay within one name, `**` spans folders, `[abc]` is one of these characters, `{a,b}` one of these words.
 */
export function readGlob(pattern: string): { readonly folder: string; readonly matches: (path: string) => boolean } {
  const steps = pattern.split('/')
  const fixed = steps.slice(0, -1).findIndex(isGlob)
  const depth = fixed === -1 ? steps.length - 1 : fixed
  const rest = steps.slice(depth).join('/')
  const expression = globExpression(`^${translate(rest)}$`)
  const folder = steps.slice(0, depth).join('/')
  return {
    folder: folder === '' && pattern.startsWith('/') ? '/' : folder,
    matches: (path) => expression?.test(path) ?? false,
  }
}

/** Null for a set that cannot be, such as `[z-a]`: it matches nothing, as in a shell. */
function globExpression(expression: string): RegExp | null {
  try {
    return new RegExp(expression, 'u')
  } catch {
    return null
  }
}

const GLOB_TOKEN = /\*\*\/|\*\*|\*|\?|\[(?:[!^]?\]?[^\]]*)\]|\{[^{}]*\}|[\s\S]/gu

function translate(pattern: string): string {
  return (pattern.match(GLOB_TOKEN) ?? []).map(translateToken).join('')
}

function translateToken(token: string): string {
  if (token === '**/') return '(?:.*/)?'
  if (token === '**') return '.*'
  if (token === '*') return '[^/]*'
  if (token === '?') return '[^/]'
  if (token.length > 1 && token.startsWith('[')) {
    const negated = /^\[[!^]/.test(token)
    return `[${negated ? '^' : ''}${escapedText(token.slice(negated ? 2 : 1, -1))}]`
  }
  if (token.length > 1 && token.startsWith('{')) {
    return `(?:${token.slice(1, -1).split(',').map(translate).join('|')})`
  }
  return escapedText(token)
}

function escapedText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, (character) => `\\${character}`)
}
