import type { PyValue } from '@callspec/python'
import { loadsJson5, Raise, isTooDeepJson } from '@callspec/python'
import json5 from 'json5'
import type { SourceText } from './input-file.ts'
import { UsageError } from './usage-error.ts'

/** Plain data, and the lines of its parts. */
export interface DataFile {
  /** The name for messages. */
  readonly name: string
  readonly value: unknown
  /** `FILE:LINE` of a place in the value. */
  place(path: Path): string
}

/**
 * Reads JSON5, which includes JSON.
 *
 * @param holds what the text should hold, for the message about an empty one
 * @throws UsageError with file, line and column for anything else
 */
export function readDataFile(source: SourceText, holds: string): DataFile {
  if (source.text.trim() === '') throw new UsageError(`${source.name}: the file is empty. It must hold ${holds}.`)
  const value = parsedJson5(source)
  return { name: source.name, value, place: (path) => `${source.name}:${json5Line(source.text, path)}` }
}

/** `JSON5: invalid character '}' at 3:7` becomes `FILE:3:7: invalid character '}'. This is not JSON5.` */
function parsedJson5({ name, text }: SourceText): unknown {
  try {
    return json5.parse<unknown>(text)
  } catch (error) {
    const [, what, at] = /^JSON5: (.*) at (\d+:\d+)$/s.exec(error instanceof Error ? error.message : '') ?? []
    if (what === undefined) throw error
    throw new UsageError(`${name}:${at}: ${what}. This is not JSON5.`)
  }
}

/**
 * Reads JSON Lines: the value is the list of the lines' values. Blank lines are skipped.
 *
 * @throws UsageError with file and line for a line that is not JSON
 */
export function readDataLines({ name, text }: SourceText): DataFile {
  const lines = text.split(/\r?\n/).flatMap((line, index) => (line.trim() === '' ? [] : [{ line, number: index + 1 }]))
  const value = lines.map(({ line, number }) => {
    try {
      return JSON.parse(line) as unknown
    } catch {
      throw new UsageError(`${name}:${number}: this line is not JSON. Every line must be one value.`)
    }
  })
  return { name, value, place: ([index]) => `${name}:${typeof index === 'number' ? (lines[index]?.number ?? 1) : 1}` }
}

/**
 * Reads JSON5 without loss.
 *
 * @param holds what the text should hold, for the message about an empty one: `an object with "tasks"`
 * @throws UsageError with file, line and column for anything else
 */
export function parseJson5(source: SourceText, holds: string): PyValue {
  try {
    return loadsJson5(source.text)
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    throw new UsageError(syntaxError(source, { message: error.message, holds }))
  }
}

/** `<string>:3 Unexpected "x" at column 7` becomes `FILE:3:7: Unexpected "x"`. */
function syntaxError(
  source: SourceText,
  { message, holds }: { readonly message: string; readonly holds: string },
): string {
  const found = /^<string>:(\d+) (.*?) at column (\d+)$/s.exec(message)
  if (found !== null) return `${source.name}:${found[1]}:${found[3]}: ${found[2]}. This is not JSON5.`
  if (source.text.trim() === '') return `${source.name}: the file is empty. It must hold ${holds}.`
  if (message.startsWith('maximum recursion depth'))
    return `${source.name}: nested too deeply. Take out some of the brackets.`
  return `${source.name}: ${message}`
}

/** A place inside a JSON5 value: `['tools', 1, 'description']`. */
export type Path = readonly (string | number)[]

/**
 * White space, a comment, or (captured) a string, punctuation, or everything else up to the next of them. One piece per match, because a
 * repetition of comments would try every split of `////////`.
 */
const JSON5_PIECE =
  /[\s\ufeff]+|\/\/[^\n\r\u2028\u2029]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|("[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'|[{}[\],:]|[^\s\ufeff{}[\],:"'/]+)/gy

interface Container {
  readonly kind: 'object' | 'array'
  /** Whether the wanted path leads through the container. */
  readonly onPath: boolean
  key: string | number
  /** In an object: whether the next string is a key. */
  awaitsKey: boolean
}

/**
 * The line (from 1) on which the value at `path` begins, or its nearest existing ancestor.
 *
 * `text` is well-formed JSON5: this only finds places, for error messages.
 */
export function json5Line(text: string, path: Path): number {
  const containers: Container[] = []
  let found = 0
  let foundDepth = -1
  for (const match of text.matchAll(JSON5_PIECE)) {
    const [, token] = match
    if (token === undefined) continue
    const top = containers.at(-1)
    if (token === '}' || token === ']') containers.pop()
    else if (token === ',') nextMember(top)
    else if (token === ':') continue
    else if (top?.awaitsKey === true) {
      top.key = keyText(token)
      top.awaitsKey = false
    } else {
      const depth = containers.length
      const onPath = top === undefined || (top.onPath && String(path[depth - 1]) === String(top.key))
      // The last of two equal keys wins, as in `loadsJson5`.
      if (onPath && depth <= path.length && depth >= foundDepth) {
        found = match.index + match[0].length - token.length
        foundDepth = depth
      }
      if (token === '{') containers.push({ kind: 'object', onPath, key: '', awaitsKey: true })
      if (token === '[') containers.push({ kind: 'array', onPath, key: 0, awaitsKey: false })
    }
  }
  return text.slice(0, found).split(/\r\n|[\n\r\u2028\u2029]/).length
}

/** The path for the `where` of an InputError: `messages[2].function_call.name`. */
export function wherePath(where: string): Path {
  return (where.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

function nextMember(top: Container | undefined): void {
  if (top === undefined) return
  if (top.kind === 'object') top.awaitsKey = true
  else top.key = Number(top.key) + 1
}

function keyText(token: string): string {
  return token.startsWith('"') || token.startsWith("'") ? token.slice(1, -1) : token
}

/** The JSON object in a text; null for any other text, also a list. `__proto__` is a member like others. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  const value = parsedJson(text)
  return isJsonObject(value) ? value : null
}

function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text; undefined for any other text, and for more than 995 levels. */
export function parsedJson(text: string): unknown {
  if (isTooDeepJson(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
