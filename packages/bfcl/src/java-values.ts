import type { PyValue } from '@callspec/python'
import { cutOut } from './cut-out.ts'
import { pythonNumber } from './python-number.ts'
import type { PyType } from './python-values.ts'

/** The types that BFCL's documentation of Java functions uses, with the Python type each is compared as. */
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
const LONG = /^-?\d+[lL]$/
const FLOAT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[fF]$/
const DOUBLE = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * The value that a Java expression stands for, as BFCL's converter reads it. What it cannot read stays the text it is, which
 * then fails or passes as the name of a variable. `nested`: the type of the elements of a list.
 */
export function javaValue(source: string, type: string, nested: string | null): PyValue {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
      return INTEGER.test(source) ? number(source) : source
    case 'long':
      return LONG.test(source) ? number(source.slice(0, -1)) : source
    case 'float':
      return FLOAT.test(source) ? Number(source.slice(0, -1)) : source
    case 'double':
      return DOUBLE.test(source) ? Number(source) : source
    case 'boolean':
      return source === 'true' || source === 'false' ? source === 'true' : source
    case 'Array':
      return arrayOf(source, nested)
    case 'ArrayList':
      return arrayListOf(source, nested)
    case 'HashMap':
      return hashMapOf(source)
    default:
      return source
  }
}

function arrayOf(source: string, nested: string | null): PyValue {
  const inner = cutOut(source, { head: /new\s+\w+\[\]\s*\{/g, close: '}' })
  if (inner === null) return source
  return elements(inner)
    .filter((element) => element !== '')
    .map((element) => (nested === null ? plainValue(element) : javaValue(element, nested, null)))
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

// as in the reference: the quotes are cut off without being looked at.
function listElement(element: string, nested: string | null): PyValue {
  if (nested === 'char' || nested === 'String') return element.slice(1, -1)
  return nested === null ? plainValue(element) : javaValue(element, nested, null)
}

function hashMapOf(source: string): PyValue {
  const start = /new\s+HashMap</.exec(source)
  if (start === null) return source
  const rest = source.slice(start.index + start[0].length)
  const body = cutOut(rest, { head: />\s*\(\)\s*\{\s*\{?/g, close: '}', overLines: true })
  if (body === null) return />\s*\(\)/.test(rest) ? new Map() : source
  return new Map(putsIn(body).map(([key, value]) => [key, plainValue(value.trim())]))
}

/** Keys and values of `put("key", value)`. A value ends at the first bracket of its line; where that is looked for once. */
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

/** A value whose type nobody says. */
function plainValue(source: string): PyValue {
  if (source === 'true' || source === 'false') return source === 'true'
  if (source.startsWith('"') && source.endsWith('"')) return source.slice(1, -1)
  if (LONG.test(source)) return number(source.slice(0, -1))
  if (FLOAT.test(source)) return Number(source.slice(0, -1))
  return pythonNumber(source) ?? source
}

function elements(text: string): readonly string[] {
  return text.split(',').map((element) => element.trim())
}

function number(text: string): PyValue {
  return pythonNumber(text) ?? text
}
