import type { PyValue } from '@callspec/python'
import { allBetween, cutOut } from './cut-out.ts'
import { pythonNumber } from './python-number.ts'
import type { PyType } from './python-values.ts'

/** The types that BFCL's documentation of JavaScript functions uses, with the Python type each is compared as. */
export const JAVASCRIPT_TYPES: ReadonlyMap<string, PyType> = new Map([
  ['String', 'str'],
  ['any', 'str'],
  ['integer', 'int'],
  ['Bigint', 'int'],
  ['float', 'float'],
  ['Boolean', 'bool'],
  ['dict', 'dict'],
  ['array', 'list'],
])

/**
 * The value that a JavaScript expression stands for, as BFCL's converter reads it. What it cannot read stays the text it is.
 * `nested`: the type of the elements of a list.
 */
export function javascriptValue(source: string, type: string, nested: string | null): PyValue {
  switch (type) {
    case 'String':
      return isQuoted(source) ? source.slice(1, -1) : source
    case 'integer':
      return /^-?\d+$/.test(source) ? (pythonNumber(source) ?? source) : source
    case 'Bigint':
      return /^-?\d+n$/.test(source) ? (pythonNumber(source.slice(0, -1)) ?? source) : source
    case 'float':
      return /^-?\d+(?:\.\d+)?$/.test(source) ? Number(source) : source
    case 'Boolean':
      return source === 'true' || source === 'false' ? source === 'true' : source
    case 'dict':
      return objectOf(source.trim())
    case 'array':
      return arrayOf(source.trim(), nested)
    default:
      return source
  }
}

function arrayOf(source: string, nested: string | null): PyValue {
  const rows = rowsOf(source)
  if (rows !== null) return rows.map((row) => row.split(',').map(plainValue))
  const inner = cutOut(source, { head: /^\[/g, close: ']' }) ?? cutOut(source, { head: /^new\s+Array\(/g, close: ')' })
  if (inner === null) return source
  const items = inner.trim() === '' ? [] : inner.trim().split(',')
  if (nested === null) return items.map(plainValue)
  if (!JAVASCRIPT_TYPES.has(nested)) return items.length === 0 ? [] : source
  return items.map((item) => javascriptValue(item.trim(), nested, null))
}

/** The rows of a list of lists; null for anything else. Deeper lists are not read. */
function rowsOf(source: string): readonly string[] | null {
  const start = /^(?:\[|new\s+Array\()\s*\[/.exec(source)
  if (start === null) return null
  const end = (source.startsWith('[') ? /\]\s*\]/ : /\]\s*\)/).exec(source.slice(start[0].length))
  if (end === null) return null
  const inner = source.slice(start[0].length - 1, start[0].length + end.index + 1)
  return inner.includes('\n') ? null : allBetween(inner, '[', ']').map((row) => row.trim())
}

function objectOf(source: string): PyValue {
  if (source === '{}') return new Map()
  const content = cutOut(source, { head: /^\{/g, close: '}' })
  if (content === null) return source
  return new Map(pairsOf(content).map(([key, value]) => [unquoted(key.trim()), memberValue(value.trim())]))
}

/** Members end at a comma that another `key:` follows. */
function pairsOf(content: string): readonly (readonly [string, string])[] {
  const segments = content.split(',')
  const members: string[][] = []
  for (const segment of segments) {
    const last = members.at(-1)
    if (last === undefined || segment.lastIndexOf(':') >= 1) members.push([segment])
    else last.push(segment)
  }
  return members.flatMap((parts) => {
    const text = parts.join(',')
    const colon = text.indexOf(':', text.startsWith(':') ? 1 : 0)
    return colon < 1 ? [] : [[text.slice(0, colon), text.slice(colon + 1)] as const]
  })
}

function memberValue(value: string): PyValue {
  if (value.startsWith('[') && value.endsWith(']')) return arrayOf(value, null)
  if (value.startsWith('{') && value.endsWith('}')) return objectOf(value)
  return plainValue(unquoted(value))
}

/** A value whose type nobody says. */
function plainValue(text: string): PyValue {
  const source = text.trim()
  if (source === 'true' || source === 'false') return source === 'true'
  if (isQuoted(source)) return source.slice(1, -1)
  return pythonNumber(source) ?? source
}

function isQuoted(source: string): boolean {
  return ['"', "'"].some((quote) => source.startsWith(quote) && source.endsWith(quote))
}

/** Without quotes at its ends, however many. */
function unquoted(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isQuote(text[start])) start += 1
  while (end > start && isQuote(text[end - 1])) end -= 1
  return text.slice(start, end)
}

function isQuote(unit: string | undefined): boolean {
  return unit === '"' || unit === "'"
}
