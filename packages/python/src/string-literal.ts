import { afterHexDigits } from './text.ts'
import { invalidSyntax } from './tokens.ts'
import type { FindNames, PyToken } from './tokens.ts'

export interface StringLiteral {
  readonly kind: 'text' | 'bytes' | 'format'
  /**
   * The text in pieces that are not empty, cut where an escape spells a surrogate, because two of those must not become one
   * character. In bytes each character is one byte; an f-string has no pieces.
   */
  readonly pieces: readonly string[]
}

/**
 * Reads the string literal of a token: prefix, quotes and escapes. Linear.
 *
 * @param names called at the first `\N{…}`; without it that is a SyntaxError whose message says so
 * @throws Raise SyntaxError: a malformed `\x`, `\u`, `\U`, `\N`, an unknown name of a character, a character beyond ASCII in bytes
 */
export function readStringLiteral(source: string, { at, end }: PyToken, names?: FindNames): StringLiteral {
  let open = at
  while (!isQuotationMark(source[open])) open++
  const prefix = open === at ? '' : source.slice(at, open).toLowerCase()
  const kind = prefix.includes('b') ? 'bytes' : prefix.includes('f') ? 'format' : 'text'
  if (kind === 'format') return { kind, pieces: [] }
  const mark = source[open]
  const quotes = source[open + 1] === mark && source[open + 2] === mark ? 3 : 1
  const [from, close] = [open + quotes, end - quotes]
  const body = source.slice(from, close)
  if (kind === 'bytes' && /[^\u0000-\u007f]/.test(body)) {
    throw invalidSyntax(source, from, 'bytes can only contain ASCII literal characters')
  }
  if (prefix.includes('r') || !body.includes('\\')) return { kind, pieces: body === '' ? [] : [body] }
  return { kind, pieces: unescape(source, from, { kind, close, names }) }
}

function isQuotationMark(char: string | undefined): boolean {
  return char === '"' || char === "'"
}

interface Body {
  readonly kind: StringLiteral['kind']
  /** Offset of the closing quote. */
  readonly close: number
  readonly names: FindNames | undefined
}

function unescape(source: string, from: number, body: Body): readonly string[] {
  const pieces: string[] = []
  let text = ''
  let plain = from
  for (let at = source.indexOf('\\', from); at >= 0 && at < body.close; at = source.indexOf('\\', plain)) {
    const { value, end } = escapeAt(source, at, body)
    text += source.slice(plain, at)
    plain = end
    if (isSurrogate(value)) {
      pieces.push(text, value)
      text = ''
    } else text += value
  }
  pieces.push(text + source.slice(plain, body.close))
  // An empty piece between two surrogates would hide that they are neighbours.
  return pieces.filter((piece) => piece !== '')
}

interface Escape {
  readonly value: string
  /** Offset after the escape. */
  readonly end: number
}

function escapeAt(source: string, at: number, body: Body): Escape {
  const letter = source.charAt(at + 1)
  const isBytes = body.kind === 'bytes'
  const simple = SIMPLE.get(letter)
  if (simple !== undefined) return { value: simple, end: at + 2 }
  if (letter >= '0' && letter <= '7') return octalEscape(source, at, body)
  const digits = isBytes ? (letter === 'x' ? 2 : undefined) : HEX_DIGITS.get(letter)
  if (digits !== undefined) return hexEscape(source, at, { digits, close: body.close })
  if (letter === 'N' && !isBytes) return namedEscape(source, at, body)
  // as in the reference: an unknown escape keeps its backslash, so `\/` is two characters.
  return { value: '\\', end: at + 1 }
}

function octalEscape(source: string, at: number, { kind, close }: Body): Escape {
  let end = at + 2
  while (end < Math.min(at + 4, close) && /[0-7]/.test(source.charAt(end))) end++
  const code = Number.parseInt(source.slice(at + 1, end), 8)
  return { value: String.fromCharCode(kind === 'bytes' ? code & 0xff : code), end }
}

function hexEscape(
  source: string,
  at: number,
  { digits, close }: { readonly digits: number; readonly close: number },
): Escape {
  const end = afterHexDigits(source, at + 2, digits)
  const code = Number.parseInt(source.slice(at + 2, end), 16)
  if (end < at + 2 + digits || end > close || code > 0x10ffff) throw invalidSyntax(source, at, 'malformed escape')
  return { value: String.fromCodePoint(code), end }
}

function namedEscape(source: string, at: number, { close, names }: Body): Escape {
  const find = names?.() ?? null
  if (find === null) throw invalidSyntax(source, at, NO_NAMES)
  const from = at + 3
  const end = source.charAt(at + 2) === '{' ? source.indexOf('}', from) : -1
  if (end <= from || end >= close) throw invalidSyntax(source, at, 'malformed \\N character escape')
  const value = find(source.slice(from, end))
  if (value === null) throw invalidSyntax(source, at, 'unknown Unicode character name')
  return { value, end: end + 1 }
}

function isSurrogate(value: string): boolean {
  return value.length === 1 && (value.charCodeAt(0) & 0xf800) === 0xd800
}

/** Python reads these escapes; that it is not Python that refuses them here has to be seen. */
const NO_NAMES = 'no names of characters are known here, so \\N{…} is refused; spell it \\uXXXX'

const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])
const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
])
