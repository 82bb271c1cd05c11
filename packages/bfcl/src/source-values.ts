import type { PyValue } from '@callspec/python'
import type { PyType } from './python-values.ts'
import { pythonNumber } from './python-values.ts'

/** The types in BFCL's documentation of Java functions, with the Python type that each is compared as. */
export const JAVA_TYPES: ReadonlyMap<string, PyType> = new Map([
  ['byte', 'int'],
  ['short', 'int'],
  ['integer', 'int'],
  ['long', 'int'],
  ['float', 'float'],
  ['double', 'float'],
  ['boolean', 'bool'],
  ['char', 'str'],
  ['String', 'str'],
  ['any', 'str'],
  ['Array', 'list'],
  ['ArrayList', 'list'],
  ['Queue', 'list'],
  ['Stack', 'list'],
  ['HashMap', 'dict'],
  ['Hashtable', 'dict'],
])

const INTEGER = /^-?\d+$/
const JAVA_LONG = /^-?\d+[lL]$/
const JAVA_FLOAT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[fF]$/
const DOUBLE = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * The value of a Java expression, as BFCL's converter reads it. An expression that it cannot read stays a text, which then
 * fails or passes as the name of a variable. `nested`: the type of the elements of a list.
 */
export function javaValue(source: string, type: string, nested: string | null): PyValue {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
      return INTEGER.test(source) ? sourceNumber(source) : source
    case 'long':
      return JAVA_LONG.test(source) ? sourceNumber(source.slice(0, -1)) : source
    case 'float':
      return JAVA_FLOAT.test(source) ? Number(source.slice(0, -1)) : source
    case 'double':
      return DOUBLE.test(source) ? Number(source) : source
    case 'boolean':
      return source === 'true' || source === 'false' ? source === 'true' : source
    case 'Array':
      return javaArray(source, nested)
    case 'ArrayList':
      return arrayListOf(source, nested)
    case 'HashMap':
      return hashMapOf(source)
    default:
      return source
  }
}

function javaArray(source: string, nested: string | null): PyValue {
  const inner = cutOut(source, { head: /new\s+\w+\[\]\s*\{/g, close: '}' })
  if (inner === null) return source
  return elements(inner)
    .filter((element) => element !== '')
    .map((element) => (nested === null ? javaPlainValue(element) : javaValue(element, nested, null)))
}

function arrayListOf(source: string, nested: string | null): PyValue {
  const listed = cutOut(source, { head: /new\s+ArrayList<\w*>\(Arrays\.asList\(/g, close: '))', atLeast: 1 })
  if (listed !== null) return elements(listed).map((element) => listElement(element, nested))
  const added = cutOut(source, {
    head: /new\s+ArrayList<\w*>\(\)\s*\{\{/g,
    close: '}}',
    atLeast: 1,
    overLines: true,
  })
  if (added !== null) return argumentsOfAdd(added).map((element) => listElement(element, nested))
  return /new\s+ArrayList<\w*>\(\)/.test(source) ? [] : source
}

function argumentsOfAdd(text: string): readonly string[] {
  const found: string[] = []
  let at = text.indexOf('add(')
  while (at >= 0) {
    const end = text.indexOf(')', at + 5)
    if (end < 0) break
    found.push(text.slice(at + 4, end).trim())
    at = text.indexOf('add(', end)
  }
  return found
}

// as in the reference: the first and the last character are cut off, even if they are not quotes.
function listElement(element: string, nested: string | null): PyValue {
  if (nested === 'char' || nested === 'String') return element.slice(1, -1)
  return nested === null ? javaPlainValue(element) : javaValue(element, nested, null)
}

function hashMapOf(source: string): PyValue {
  const start = /new\s+HashMap</.exec(source)
  if (start === null) return source
  const rest = source.slice(start.index + start[0].length)
  const body = cutOut(rest, { head: />\s*\(\)\s*\{\s*\{?/g, close: '}', overLines: true })
  if (body === null) return />\s*\(\)/.test(rest) ? new Map() : source
  return new Map(putsIn(body).map(([key, value]) => [key, javaPlainValue(value.trim())]))
}

/** Keys and values of `put("key", value)`. A value ends at the first bracket of its line, which is searched once. */
function putsIn(body: string): readonly (readonly [key: string, value: string])[] {
  const puts: (readonly [string, string])[] = []
  const [head, end] = [/put\("([^"\n]*)",\s*/g, /[)\n]|$/g]
  let ends = -1
  for (let found = head.exec(body); found !== null; found = head.exec(body)) {
    const from = head.lastIndex
    if (ends < from) {
      end.lastIndex = from
      ends = end.exec(body)?.index ?? body.length
    }
    if (body[ends] !== ')') continue
    puts.push([found[1] ?? '', body.slice(from, ends)])
    head.lastIndex = ends + 1
  }
  return puts
}

/** A value of unknown type. */
function javaPlainValue(source: string): PyValue {
  if (source === 'true' || source === 'false') return source === 'true'
  if (source.startsWith('"') && source.endsWith('"')) return source.slice(1, -1)
  if (JAVA_LONG.test(source)) return sourceNumber(source.slice(0, -1))
  if (JAVA_FLOAT.test(source)) return Number(source.slice(0, -1))
  return pythonNumber(source) ?? source
}

function elements(text: string): readonly string[] {
  return text.split(',').map((element) => element.trim())
}

function sourceNumber(text: string): PyValue {
  return pythonNumber(text) ?? text
}

/** The types in BFCL's documentation of JavaScript functions, with the Python type that each is compared as. */
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
 * The value of a JavaScript expression, as BFCL's converter reads it. An expression that it cannot read stays a text.
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
      return javascriptObject(source.trim())
    case 'array':
      return javascriptArray(source.trim(), nested)
    default:
      return source
  }
}

function javascriptArray(source: string, nested: string | null): PyValue {
  const rows = arrayRows(source)
  if (rows !== null) return rows.map((row) => row.split(',').map(javascriptPlainValue))
  const inner = cutOut(source, { head: /^\[/g, close: ']' }) ?? cutOut(source, { head: /^new\s+Array\(/g, close: ')' })
  if (inner === null) return source
  const items = inner.trim() === '' ? [] : inner.trim().split(',')
  if (nested === null) return items.map(javascriptPlainValue)
  if (!JAVASCRIPT_TYPES.has(nested)) return items.length === 0 ? [] : source
  return items.map((item) => javascriptValue(item.trim(), nested, null))
}

/** The rows of a list of lists; null for anything else. Deeper lists are not read. */
function arrayRows(source: string): readonly string[] | null {
  const start = /^(?:\[|new\s+Array\()\s*\[/.exec(source)
  if (start === null) return null
  const end = (source.startsWith('[') ? /\]\s*\]/ : /\]\s*\)/).exec(source.slice(start[0].length))
  if (end === null) return null
  const inner = source.slice(start[0].length - 1, start[0].length + end.index + 1)
  return inner.includes('\n') ? null : allBetween(inner, '[', ']').map((row) => row.trim())
}

function javascriptObject(source: string): PyValue {
  if (source === '{}') return new Map()
  const content = cutOut(source, { head: /^\{/g, close: '}' })
  if (content === null) return source
  return new Map(pairsOf(content).map(([key, value]) => [unquotedText(key.trim()), memberValue(value.trim())]))
}

/** A member ends at a comma before another `key:`. */
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
  if (value.startsWith('[') && value.endsWith(']')) return javascriptArray(value, null)
  if (value.startsWith('{') && value.endsWith('}')) return javascriptObject(value)
  return javascriptPlainValue(unquotedText(value))
}

/** A value of unknown type. */
function javascriptPlainValue(text: string): PyValue {
  const source = text.trim()
  if (source === 'true' || source === 'false') return source === 'true'
  if (isQuoted(source)) return source.slice(1, -1)
  return pythonNumber(source) ?? source
}

function isQuoted(source: string): boolean {
  return ['"', "'"].some((quote) => source.startsWith(quote) && source.endsWith(quote))
}

/** Without quotes at its ends, however many. */
function unquotedText(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isQuote(text[start])) start += 1
  while (end > start && isQuote(text[end - 1])) end -= 1
  return text.slice(start, end)
}

function isQuote(unit: string | undefined): boolean {
  return unit === '"' || unit === "'"
}

/** The text between a head and the text that closes it. */
export interface CutOut {
  /** The head, with the `g` flag. */
  readonly head: RegExp
  readonly close: string
  /** The least number of characters between them. */
  readonly atLeast?: number
  /** Whether the text may contain line breaks. */
  readonly overLines?: boolean
}

/**
 * The first text between a match of `head` and the next `close`; null without one. It finds what a lazy regular expression
 * would find, in linear time: it searches the end of a head only once.
 */
export function cutOut(text: string, { head, close, atLeast = 0, overLines = false }: CutOut): string | null {
  let closeAt = -1
  for (const match of text.matchAll(head)) {
    const start = match.index + match[0].length
    const from = start + atLeast
    if (closeAt < from) closeAt = text.indexOf(close, from)
    if (closeAt < 0) return null
    const inner = text.slice(start, closeAt)
    if (overLines || !inner.includes('\n')) return inner
  }
  return null
}

/** Every text between `open` and the next `close` after it. */
export function allBetween(text: string, open: string, close: string): readonly string[] {
  const found: string[] = []
  let at = text.indexOf(open)
  while (at >= 0) {
    const end = text.indexOf(close, at + open.length)
    if (end < 0) break
    found.push(text.slice(at + open.length, end))
    at = text.indexOf(open, end + close.length)
  }
  return found
}
