import { pyLength, Raise } from '@callspec/python'
import { splitLines } from '../methods/split.ts'
import { make, spend } from '../runtime/run.ts'
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
  const wrapped = splitLines(text, false).flatMap((line) => {
    spend(run, searchCost(line) / 64)
    const lines = wrapLine(line, rules)
    spend(run, lines.length)
    return lines.length === 0 ? [''] : lines
  })
  make(run, wrapped.length * between.length)
  return wrapped.join(between)
}

/** Characters that the search for hyphens looks at: it starts again after each of them. */
function searchCost(line: string): number {
  let cost = 0
  for (const [word] of line.matchAll(/[^\t\n\v\f\r ]+/g)) cost += word.length * word.split('-').length
  return cost
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

/** A word or white space, with its length in characters, which Python counts. */
interface Chunk {
  readonly text: string
  readonly size: number
}

function wrapLine(line: string, rules: Rules): readonly string[] {
  const chunks = chunksOf(line, rules.breaksHyphens).reverse()
  const lines: string[] = []
  while (chunks.length > 0) {
    if (lines.length > 0 && isSpace(chunks.at(-1)?.text ?? '')) chunks.pop()
    const taken = takeLine(chunks, rules)
    if (taken.length > 0 && isSpace(taken.at(-1) ?? '')) taken.pop()
    if (taken.length > 0) lines.push(taken.join(''))
  }
  return lines
}

/** Takes chunks off the end as long as they fit; a chunk too long for any line is cut, or is a line by itself. */
function takeLine(chunks: Chunk[], { columns, breaksWords }: Rules): string[] {
  const taken: string[] = []
  let used = 0
  for (let next = chunks.at(-1); next !== undefined && used + next.size <= columns; next = chunks.at(-1)) {
    taken.push(next.text)
    used += next.size
    chunks.pop()
  }
  const long = chunks.at(-1)
  if (long === undefined || long.size <= columns) return taken
  if (breaksWords) {
    const cut = Math.floor(columns < 1 ? 1 : columns - used)
    const end = offsetOf(long.text, cut)
    taken.push(long.text.slice(0, end))
    chunks[chunks.length - 1] = { text: long.text.slice(end), size: long.size - cut }
  } else if (taken.length === 0) {
    taken.push(long.text)
    chunks.pop()
  }
  return taken
}

/** How many UTF-16 units so many characters of a text are. */
function offsetOf(text: string, characters: number): number {
  let at = 0
  for (let left = characters; left > 0 && at < text.length; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}

function isSpace(chunk: string): boolean {
  return /^[\t\n\v\f\r ]*$/.test(chunk)
}

const HYPHENATED =
  /[\t\n\v\f\r ]+|[^\t\n\v\f\r ]*?[\p{L}\p{N}_"'&.,?!]-(?=[\p{L}_]{2})|[^\t\n\v\f\r ]+?(?=-{2,}\w)|-{2,}(?=\w)|[^\t\n\v\f\r ]+/gu

/** Words and the white space between them; behind a hyphen in a word, a line may break too. */
function chunksOf(line: string, breaksHyphens: boolean): Chunk[] {
  const texts = line.match(breaksHyphens ? HYPHENATED : /[\t\n\v\f\r ]+|[^\t\n\v\f\r ]+/g) ?? []
  return texts.map((text) => ({ text, size: pyLength(text) }))
}
