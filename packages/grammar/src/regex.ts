import {
  type CodePointRange,
  EMPTY,
  type Expression,
  GrammarError,
  LAST_CODE_POINT,
  choice,
  asciiRanges,
  complement,
  literal,
  normalizeRanges,
  repeat,
  sequence,
} from './expression.ts'

const DIGIT: readonly CodePointRange[] = [[0x30, 0x39]]
const WORD: readonly CodePointRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]
const SPACE: readonly CodePointRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
]
const CLASSES: Readonly<Record<string, readonly CodePointRange[]>> = {
  d: DIGIT,
  w: WORD,
  s: SPACE,
  D: complement(DIGIT),
  W: complement(WORD),
  S: complement(SPACE),
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', '0': '\0' }
const MAX_NESTING = 200
const MAX_COUNT = 1_000_000

/**
 * Reads a pattern as XGrammar does: for the whole text, so that anchors are ignored; `.` takes line feeds, `\d` and `\w` are ASCII,
 * lazy marks mean nothing. Throws `GrammarError` for what XGrammar refuses: look-around, back-references, `\b`, `\p`, flags.
 */
export function readRegex(pattern: string): Expression {
  const reader = createReader(pattern)
  const whole = readAlternatives(reader, 0)
  if (!reader.isAtEnd()) reader.fail('")" closes no group')
  return whole
}

type Reader = {
  readonly isAtEnd: () => boolean
  readonly peek: () => string
  readonly take: (mark: string) => boolean
  readonly match: (pattern: RegExp) => RegExpExecArray | null
  readonly next: () => string
  readonly fail: (reason: string) => never
}

function createReader(pattern: string): Reader {
  let at = 0
  const fail = (reason: string): never => {
    throw new GrammarError(
      `The pattern ${JSON.stringify(pattern.slice(0, 60))} cannot be read: ${reason}, at character ${at}.`,
    )
  }
  return {
    isAtEnd: () => at >= pattern.length,
    peek: () => pattern[at] ?? '',
    take: (mark) => {
      if (!pattern.startsWith(mark, at)) return false
      at += mark.length
      return true
    },
    match: (expression) => {
      expression.lastIndex = at
      const found = expression.exec(pattern)
      if (found) at += found[0].length
      return found
    },
    next: () => {
      const code = pattern.codePointAt(at)
      if (code === undefined) return fail('it ends too early')
      at += code > 0xffff ? 2 : 1
      return String.fromCodePoint(code)
    },
    fail,
  }
}

function readAlternatives(reader: Reader, nesting: number): Expression {
  if (nesting > MAX_NESTING) reader.fail(`groups are nested more than ${MAX_NESTING} deep`)
  const alternatives = [readSequence(reader, nesting)]
  while (reader.take('|')) alternatives.push(readSequence(reader, nesting))
  return choice(...alternatives)
}

function readSequence(reader: Reader, nesting: number): Expression {
  const items: Expression[] = []
  while (!reader.isAtEnd() && reader.peek() !== '|' && reader.peek() !== ')') {
    if (reader.take('^') || reader.take('$')) continue
    const item = readAtom(reader, nesting)
    items.push(readCount(reader, item))
  }
  return items.length === 0 ? EMPTY : sequence(...items)
}

function readAtom(reader: Reader, nesting: number): Expression {
  if (reader.take('(')) {
    const mark = reader.match(/\?(?::|<[A-Za-z_][A-Za-z0-9_]*>|P<[A-Za-z_][A-Za-z0-9_]*>)/y)
    if (!mark && reader.peek() === '?') reader.fail('look-around and flags are not supported')
    const inner = readAlternatives(reader, nesting + 1)
    if (!reader.take(')')) reader.fail('a group is never closed')
    return inner
  }
  if (reader.take('[')) return readClass(reader)
  if (reader.take('.')) return { kind: 'characters', ranges: [[0, LAST_CODE_POINT]] }
  const char = reader.next()
  if ('*+?{'.includes(char)) return reader.fail(`nothing precedes "${char}"`)
  if (char !== '\\') return literal(char)
  const escaped = readEscape(reader)
  return typeof escaped === 'string' ? literal(escaped) : { kind: 'characters', ranges: escaped }
}

function readCount(reader: Reader, item: Expression): Expression {
  const marks: Readonly<Record<string, readonly [number, number | null]>> = {
    '*': [0, null],
    '+': [1, null],
    '?': [0, 1],
  }
  const mark = marks[reader.peek()]
  let counted = item
  if (mark) {
    reader.next()
    counted = repeat(item, ...mark)
  } else if (reader.peek() === '{') {
    const count = reader.match(/\{(\d+)(,(\d*))?\}/y) ?? reader.fail('the repetition count is invalid')
    const min = Number(count[1])
    const max = count[2] === undefined ? min : count[3] === '' ? null : Number(count[3])
    if (max !== null && max < min) reader.fail(`the repetition {${min},${max}} has a minimum above its maximum`)
    if (Math.max(min, max ?? 0) > MAX_COUNT) reader.fail(`a count above ${MAX_COUNT} is not supported`)
    counted = repeat(item, min, max)
  } else return item
  reader.take('?')
  if (reader.peek() !== '' && '*+?{'.includes(reader.peek())) reader.fail('a repetition follows a repetition')
  return counted
}

function readClass(reader: Reader): Expression {
  const isNegated = reader.take('^')
  const ranges: CodePointRange[] = []
  while (!reader.take(']')) {
    const first = readClassPart(reader)
    if (typeof first !== 'string') {
      ranges.push(...first)
      continue
    }
    const from = first.codePointAt(0) ?? 0
    if (!reader.match(/-(?!\])/y)) {
      ranges.push([from, from])
      continue
    }
    const last = readClassPart(reader)
    const to = typeof last === 'string' ? (last.codePointAt(0) ?? 0) : reader.fail('a range ends in a class')
    if (to < from) reader.fail('a range of characters ends before it begins')
    ranges.push([from, to])
  }
  if (ranges.length === 0 && !isNegated) reader.fail('a class of characters is empty')
  const normal = normalizeRanges(ranges)
  return { kind: 'characters', ranges: isNegated ? complement(asciiRanges(normal)) : normal }
}

function readClassPart(reader: Reader): string | readonly CodePointRange[] {
  const char = reader.next()
  if (char !== '\\') return char
  return reader.take('b') ? '\b' : readEscape(reader)
}

function readEscape(reader: Reader): string | readonly CodePointRange[] {
  const code = reader.match(/x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}/y)
  if (code) {
    const value = Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '', 16)
    return value <= LAST_CODE_POINT ? String.fromCodePoint(value) : reader.fail('the escape is beyond Unicode')
  }
  const control = reader.match(/c([A-Za-z])/y)
  if (control) return String.fromCodePoint((control[1] ?? '@').toUpperCase().charCodeAt(0) - 64)
  const char = reader.next()
  const known = CLASSES[char]
  if (known) return known
  if (/[bBpPk1-9]/.test(char)) reader.fail(`\\${char} is not supported`)
  return ESCAPES[char] ?? char
}
