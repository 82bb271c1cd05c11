import { MAX_DEPTH, tooDeep } from './depth.ts'
import { floatText, intText } from './number.ts'
import { isPrintable } from './printable.ts'
import type { PyValue } from './value.ts'
import { isDict, isList } from './value.ts'

/** Python's `str(value)`: a text as it is, everything else as `repr`. */
export function str(value: PyValue): string {
  return typeof value === 'string' ? value : repr(value)
}

/**
 * Python's `repr(value)` (spec §2.6): `{'k': [1, 1.0, None, True]}`. Raises RecursionError below 995 levels and
 * ValueError for an int of more than 4 300 digits. Linear.
 */
export function repr(value: PyValue): string {
  return write(value, 0)
}

function write(value: PyValue, depth: number): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'bigint') return intText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? floatText(value) : nonFinite(value)
  if (depth >= MAX_DEPTH) throw tooDeep('while getting the repr of an object')
  if (isList(value)) return `[${value.map((item) => write(item, depth + 1)).join(', ')}]`
  if (!isDict(value)) return ''
  return `{${Array.from(value, ([key, item]) => `${quoted(key)}: ${write(item, depth + 1)}`).join(', ')}}`
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  return value > 0 ? 'inf' : '-inf'
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  if (PLAIN.test(text)) return quote + text + quote
  let body = ''
  for (const char of text) body += char === quote ? `\\${quote}` : shown(char)
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
