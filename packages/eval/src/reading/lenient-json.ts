import type { PyValue } from '@callspec/python'
import { attempt, balancedEnd, loads, loadsJson5, toPlain } from '@callspec/python'
import { onceEach } from '../text/excerpt.ts'
import { isTooDeep } from '../text/json.ts'
import type { Repair } from './call-block.ts'

export interface LenientValue {
  readonly value: PyValue
  readonly repairs: readonly Repair[]
}

/** The value of standard JSON; undefined for other texts. Python also reads NaN and Infinity. */
export const readStrictJson: (text: string) => PyValue | undefined = onceEach((text) => {
  const value = tried(loads, text)
  return value !== undefined && /NaN|Infinity/.test(text) && holdsNoValue(toPlain(value)) ? undefined : value
})

/**
 * The value of a text that is nearly JSON, with the repairs it took, or null. What JSON does not know is rewritten, each
 * under its own name; JSON5 reads the rest. One missing or spare bracket is put right, and a fence is taken off. Nothing is
 * guessed: a quote in the middle of a string stays an error.
 */
export const readLenientJson: (text: string) => LenientValue | null = onceEach((text) => {
  const asGiven = readStrictJson(text)
  if (asGiven !== undefined) return { value: asGiven, repairs: [] }
  for (const { text: candidate, repairs } of candidates(text)) {
    const asJson = repairs.length === 0 ? undefined : readStrictJson(candidate)
    if (asJson !== undefined) return { value: asJson, repairs }
    const asJson5 = tried(loadsJson5, candidate)
    if (asJson5 === undefined) continue
    // NaN is what JSON5 is needed for then, and that has a name already.
    return { value: asJson5, repairs: repairs.includes('no-value') ? repairs : [...repairs, 'json5'] }
  }
  return null
})

/** Whether plain data hold a number that JSON cannot: NaN, or more than a double can say. */
export function holdsNoValue(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNoValue)
}

/** From the smallest change to the largest; the first that can be read wins. */
function* candidates(given: string): Generator<Rewritten> {
  const bare = withoutFence(given)
  const whole = balancedEnd(bare.text, 0)
  // Valid JSON with text after it needs no repair before that text.
  const rest = whole === null ? '' : bare.text.slice(whole)
  if (whole !== null && /[^\s}\]]/.test(rest) && readStrictJson(bare.text.slice(0, whole)) !== undefined)
    yield { text: bare.text.slice(0, whole), repairs: [...bare.repairs, 'trailing-text'] }
  const loose = rewriteLoose(bare.text)
  const text = loose.text.trimEnd()
  const repairs: readonly Repair[] = [...bare.repairs, ...loose.repairs]
  yield { text, repairs }
  const closed: readonly Repair[] = [...repairs, 'closing-bracket']
  yield { text: `${text}}`, repairs: closed }
  yield { text: `${text}]`, repairs: closed }
  if (text.endsWith('}') || text.endsWith(']')) yield { text: text.slice(0, -1), repairs: closed }
  const end = balancedEnd(text, 0)
  if (end !== null && end < text.length) yield { text: text.slice(0, end), repairs: [...repairs, 'trailing-text'] }
  // What JSON5 means by it, should the rewriting have broken it.
  yield { text: bare.text, repairs: bare.repairs }
}

/** The inside of a fenced block, with or without a language. */
function withoutFence(text: string): Rewritten {
  const body = text.trim()
  if (!body.startsWith('```')) return { text: body, repairs: [] }
  const first = body.indexOf('\n')
  const last = body.lastIndexOf('```')
  if (first < 0 || last <= first) return { text: body, repairs: [] }
  return { text: body.slice(first + 1, last).trim(), repairs: ['code-fence'] }
}

function tried(read: (text: string) => PyValue, text: string): PyValue | undefined {
  const outcome = attempt(() => read(text))
  return outcome.kind === 'returned' && !isTooDeep(outcome.value) ? outcome.value : undefined
}

/** A text after repairs, and which they were. */
export interface Rewritten {
  readonly text: string
  readonly repairs: readonly Repair[]
}

/**
 * Nearly-JSON as JSON, as far as that takes no guess: single quotes, trailing commas, comments, keys without quotes,
 * Python's True, False and None, full-width punctuation and “quotes” outside strings, raw line breaks inside them,
 * invisible characters. Says which of these it found. One pass, linear.
 *
 * NaN, Infinity and undefined stay what no JSON value is: they are read as NaN, and no schema accepts that.
 */
export function rewriteLoose(text: string): Rewritten {
  const found = new Set<Repair>()
  const pieces: string[] = []
  let kept = 0
  const replace: Replace = (start, end, by, repair) => {
    pieces.push(text.slice(kept, start), by)
    kept = end
    found.add(repair)
  }
  for (let at = 0; at < text.length;) at = rewriteStep(text, at, replace)
  return { text: [...pieces, text.slice(kept)].join(''), repairs: [...found] }
}

/** Puts `by` in the place of a part of the text. Parts come in order. */
type Replace = (start: number, end: number, by: string, repair: Repair) => void

/** Reads what begins at `at`, and gives back where the text goes on. */
function rewriteStep(text: string, at: number, replace: Replace): number {
  const character = text[at] ?? ''
  const close = CLOSING_QUOTES.get(character)
  if (close !== undefined) {
    if (character !== '"') replace(at, at + 1, '"', character === "'" ? 'single-quotes' : 'full-width')
    return string(text, at, { close, replace })
  }
  const isComma = character === ',' || character === '，'
  if (isComma && /[}\]｝］]/.test(text[skipBlank(text, at + 1)] ?? '')) {
    replace(at, at + 1, '', 'trailing-comma')
    return at + 1
  }
  const ascii = FULL_WIDTH.get(character)
  if (ascii !== undefined) replace(at, at + 1, ascii, 'full-width')
  else if (INVISIBLE.has(character)) replace(at, at + 1, '', 'invisible-character')
  else if (character === '/') return comment(text, at, replace)
  else return rewriteWord(text, at, replace)
  return at + 1
}

/** Not `\w`: names of keys may be Chinese. A digit begins no word, so that numbers stay as they are. */
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy

function rewriteWord(text: string, at: number, replace: Replace): number {
  WORD.lastIndex = at
  const found = WORD.exec(text)?.[0]
  if (found === undefined) return at + 1
  const end = at + found.length
  const literal = PYTHON.get(found)
  if (/[:：]/.test(text[skipBlank(text, end)] ?? '')) replace(at, end, JSON.stringify(found), 'unquoted-key')
  else if (literal !== undefined) replace(at, end, literal, 'python-literals')
  else if (NO_VALUE.has(found)) replace(at, end, 'NaN', 'no-value')
  return end
}

const PYTHON: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

const NO_VALUE: ReadonlySet<string> = new Set(['NaN', 'nan', 'Infinity', 'inf', 'undefined'])

const FULL_WIDTH: ReadonlyMap<string, string> = new Map([
  ['：', ':'],
  ['，', ','],
  ['｛', '{'],
  ['｝', '}'],
  ['［', '['],
  ['］', ']'],
])

/** What ends a string that begins with this. */
const CLOSING_QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['”', '”'],
])

/** Byte order mark, zero-width space, word joiner: what no key and no value begins with. */
const INVISIBLE: ReadonlySet<string> = new Set(['\ufeff', '\u200b', '\u2060'])

/** Blanks between signs of JSON are short; longer ones are not looked through again and again. */
const LONGEST_BLANK = 200

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && at - from < LONGEST_BLANK && /\s/.test(text[at] ?? '')) at += 1
  return at
}

/** Drops a `//` to the end of its line, or a block comment. */
function comment(text: string, at: number, replace: Replace): number {
  const isLine = text[at + 1] === '/'
  if (!isLine && text[at + 1] !== '*') return at + 1
  const close = isLine ? text.indexOf('\n', at) : text.indexOf('*/', at + 2)
  const end = close < 0 ? text.length : close + (isLine ? 0 : 2)
  replace(at, end, '', 'comment')
  return end
}

/** Reads the string that opens at `start`, makes it a double-quoted one, and gives back where the text goes on. */
function string(
  text: string,
  start: number,
  { close, replace }: { readonly close: string; readonly replace: Replace },
): number {
  const kind: Repair = close === "'" ? 'single-quotes' : 'full-width'
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === close) {
      if (close !== '"') replace(at, at + 1, '"', kind)
      return at + 1
    }
    if (character === '\\') {
      // JSON knows no \'.
      if (text[at + 1] === "'") replace(at, at + 1, '', 'single-quotes')
      at += 1
    } else if (character === '\n') replace(at, at + 1, '\\n', 'raw-newline')
    else if (character === '\r') replace(at, at + 1, '\\r', 'raw-newline')
    else if (character === '"') replace(at, at + 1, '\\"', kind)
  }
  return text.length
}
