import { Raise } from '@callspec/python'
import { splitLines } from '../methods/split.ts'
import { make } from '../runtime/run.ts'
import { numberOf } from '../values/number-of.ts'
import { str } from '../values/text.ts'
import { truthy } from '../values/truth.ts'
import { typeName } from '../values/type-name.ts'
import { undefinedError } from '../values/undefined.ts'
import type { Run, Value } from '../values/value.ts'
import { isUndefined, textOf } from '../values/value.ts'

/** `wordwrap`: each line on its own, as Python's `textwrap.wrap` breaks it without touching its white space. */
export function wordwrap(run: Run, ...values: Value[]): Value {
  const [value = '', width = 79n, breaksWords = true, separator = null, breaksHyphens = true] = values
  const text = linesOwner(value)
  make(run, 8 * text.length)
  // Python looks at the width only where there is a line.
  const columns = text === '' ? 1 : widthOf(width)
  if (columns <= 0) throw new Raise('ValueError', `invalid width ${columns} (must be > 0)`)
  const rules = { columns, breaksWords: truthy(breaksWords), breaksHyphens: truthy(breaksHyphens) }
  const between = separator === null ? '\n' : str(separator, run)
  const lines = splitLines(text, false).map((line) => wrapLine(line, rules).join(between))
  make(run, lines.length * between.length)
  return lines.join(between)
}

/** Python compares with it only, so that a float will do. */
function widthOf(width: Value): number {
  const number = numberOf(width)
  if (number !== null) return Number(number)
  throw new Raise('TypeError', `'<=' not supported between instances of '${typeName(width)}' and 'int'`)
}

/** What is no text has no lines. */
export function linesOwner(value: Value): string {
  const text = textOf(value)
  if (text !== null) return text
  if (isUndefined(value)) throw undefinedError(value)
  throw new Raise('AttributeError', `'${typeName(value)}' object has no attribute 'splitlines'`)
}

interface Rules {
  readonly columns: number
  readonly breaksWords: boolean
  readonly breaksHyphens: boolean
}

function wrapLine(line: string, rules: Rules): readonly string[] {
  const chunks = chunksOf(line, rules.breaksHyphens).reverse()
  const lines: string[] = []
  while (chunks.length > 0) {
    if (lines.length > 0 && isSpace(chunks.at(-1) ?? '')) chunks.pop()
    const taken = takeLine(chunks, rules)
    if (taken.length > 0 && isSpace(taken.at(-1) ?? '')) taken.pop()
    if (taken.length > 0) lines.push(taken.join(''))
  }
  return lines
}

/** Takes chunks off the end as long as they fit; a chunk too long for any line is cut, or stands alone. */
function takeLine(chunks: string[], { columns, breaksWords }: Rules): string[] {
  const taken: string[] = []
  let used = 0
  for (let next = chunks.at(-1); next !== undefined && used + size(next) <= columns; next = chunks.at(-1)) {
    taken.push(next)
    used += size(next)
    chunks.pop()
  }
  const long = chunks.at(-1)
  if (long === undefined || size(long) <= columns) return taken
  const room = columns - used
  if (breaksWords) {
    const chars = [...long]
    const cut = Math.max(room, columns < 1 ? 1 : room)
    taken.push(chars.slice(0, cut).join(''))
    chunks[chunks.length - 1] = chars.slice(cut).join('')
  } else if (taken.length === 0) {
    taken.push(long)
    chunks.pop()
  }
  return taken
}

function size(chunk: string): number {
  return [...chunk].length
}

function isSpace(chunk: string): boolean {
  return /^[\t\n\v\f\r ]*$/.test(chunk)
}

const HYPHENATED =
  /[\t\n\v\f\r ]+|[^\t\n\v\f\r ]*?[\p{L}\p{N}_"'&.,?!]-(?=[\p{L}_]{2})|[^\t\n\v\f\r ]+?(?=-{2,}\w)|-{2,}(?=\w)|[^\t\n\v\f\r ]+/gu

/** Words and the white space between them; behind a hyphen in a word, a line may break too. */
function chunksOf(line: string, breaksHyphens: boolean): string[] {
  return line.match(breaksHyphens ? HYPHENATED : /[\t\n\v\f\r ]+|[^\t\n\v\f\r ]+/g) ?? []
}
