import { MAX_DEPTH, tooDeep } from './depth.ts'
import type { PyBytes, PyComplex, PyLiteral, PyTagged } from './literal-value.ts'
import { isLiteralDict, isLiteralList } from './literal-value.ts'
import { floatText, intText } from './number.ts'
import { isPrintable } from './printable.ts'
import { unreachable } from './unreachable.ts'

/** Python's `str(value)`: a text as it is, everything else as `repr`. */
export function str(value: PyLiteral): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'code-points') {
    return value.codePoints.map((code) => String.fromCodePoint(code)).join('')
  }
  return repr(value)
}

/**
 * Python's `repr(value)` (spec §2.6): `{'k': [1, 1.0, None, True]}`, also of what only literals can spell. Raises
 * RecursionError below 995 levels and ValueError for an int of more than 4 300 digits. Linear.
 */
export function repr(value: PyLiteral): string {
  return write(value, 0)
}

function write(value: PyLiteral, depth: number): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'bigint') return intText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? floatText(value) : nonFinite(value)
  if (depth >= MAX_DEPTH) throw tooDeep('while getting the repr of an object')
  if (isLiteralList(value)) return `[${writeItems(value, depth + 1)}]`
  if (!isLiteralDict(value)) return writeTagged(value, depth)
  const members = Array.from(value, ([key, item]) => `${write(key, depth + 1)}: ${write(item, depth + 1)}`)
  return `{${members.join(', ')}}`
}

function writeItems(items: readonly PyLiteral[], depth: number): string {
  return items.map((item) => write(item, depth)).join(', ')
}

function writeTagged(value: PyTagged, depth: number): string {
  switch (value.kind) {
    case 'tuple':
      return `(${writeItems(value.items, depth + 1)}${value.items.length === 1 ? ',' : ''})`
    case 'set':
      return value.items.length === 0 ? 'set()' : `{${writeItems(value.items, depth + 1)}}`
    case 'complex':
      return complexText(value)
    case 'bytes':
      return bytesText(value)
    case 'ellipsis':
      return 'Ellipsis'
    case 'code-points':
      return quotedChars(value.codePoints.map((code) => String.fromCodePoint(code)))
    default:
      return unreachable(value)
  }
}

/** Both parts without the `.0` that a float alone has; a real part of 0 is left out, one of -0 is not. */
function complexText({ real, imaginary }: PyComplex): string {
  const part = (value: number): string =>
    Number.isFinite(value) ? floatText(value).replace(/\.0$/, '') : nonFinite(value)
  if (Object.is(real, 0)) return `${part(imaginary)}j`
  const text = part(imaginary)
  return `(${part(real)}${text.startsWith('-') ? '' : '+'}${text}j)`
}

function bytesText({ bytes }: PyBytes): string {
  const quote = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'"
  const shownByte = (byte: number): string => {
    const char = String.fromCharCode(byte)
    if (char === quote) return `\\${quote}`
    return SHORT.get(char) ?? (byte < 0x20 || byte > 0x7e ? `\\x${byte.toString(16).padStart(2, '0')}` : char)
  }
  return `b${quote}${bytes.map(shownByte).join('')}${quote}`
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  return value > 0 ? 'inf' : '-inf'
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  return PLAIN.test(text) ? quote + text + quote : quotedChars(text)
}

function quotedChars(text: Iterable<string>): string {
  const chars = [...text]
  const quote = chars.includes("'") && !chars.includes('"') ? '"' : "'"
  let body = ''
  for (const char of chars) body += char === quote ? `\\${quote}` : shown(char)
  return quote + body + quote
}

/** Nothing but printable ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-&(-[\]-~]*$/

function shown(char: string): string {
  const short = SHORT.get(char)
  if (short !== undefined) return short
  const code = char.codePointAt(0) ?? 0
  if (isPrintable(code)) return char
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
])
