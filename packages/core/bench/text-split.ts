import type { Format } from '../src/format/format.ts'
import type { ToolSpec } from '../src/reply/reader.ts'
import { commonEnd, commonStart } from './bare-split.ts'

/** The tool of `equalCalls`: the types by which values are read that are written as text. */
export const FIND: ToolSpec = {
  name: 'find',
  parameters: { properties: { count: { type: 'integer' }, note: { type: 'string' } } },
}

/** A call with its arguments as JSON, which is what readers give. */
export interface SplitCall {
  readonly name: string
  readonly arguments: string
}

/** Splits well-formed replies of calls of `find`, and nothing else. No calls for a shape that it does not know. */
export type TextSplitter = (text: string) => readonly SplitCall[]

/**
 * What one would write by hand for a format whose values are text: it finds each call, its name, keys and values, types the
 * values, and writes the arguments as JSON. It knows neither streams nor texts, thoughts and mistakes, and takes any marker for one.
 */
export function textSplitter(format: Format): TextSplitter {
  const sample = format.write(
    SAMPLES.map((json, index) => ({ kind: 'call', name: NAMES[index] ?? '', arguments: json, id: null })),
  )
  if (sample.includes('alpha(')) return pythonSplit
  const quote = /:([^\s:]+)ivy/.exec(sample)?.[1]
  if (sample.includes('alpha{') && quote !== undefined) return braceSplitter(quote)
  const marks = marksOf(sample)
  const isTagged = Object.values(marks).every(({ before, after }: Around) => before !== '' && after !== '')
  return isTagged ? tagSplitter(marks) : () => []
}

// No two begin or end with the same letter, which would seem to be part of the marks.
const NAMES = ['alpha', 'bravo']
const KEYS = ['cow', 'dog', 'emu', 'fox']
const VALUES = ['4321', '8765', 'ivy', 'jag']
const SAMPLES = ['{"cow": 4321, "dog": "ivy"}', '{"emu": 8765, "fox": "jag"}']

/** The texts around the parts of a call, as far as they are the same around each. */
interface TagMarks {
  readonly name: Around
  readonly key: Around
  readonly value: Around
}

interface Around {
  readonly before: string
  readonly after: string
}

/** A name or a key may be written twice: a name counts before its keys, a key before its value. */
function marksOf(sample: string): TagMarks {
  const around = (parts: readonly string[], find: (part: string) => number): Around => ({
    before: parts.map((part) => sample.slice(0, find(part))).reduce((one, other) => commonEnd(one, other)),
    after: parts.map((part) => sample.slice(find(part) + part.length)).reduce((one, other) => commonStart(one, other)),
  })
  const key = around(KEYS, (each) => sample.indexOf(each))
  const value = around(VALUES, (each) => sample.indexOf(each))
  // What may follow a value can begin like a key, with the `<` of another tag.
  let length = value.after.length
  for (let at = 0; at < length; at++) if (key.before.startsWith(value.after.slice(at))) length = at
  return {
    name: around(NAMES, (each) => sample.lastIndexOf(each)),
    key,
    value: { ...value, after: value.after.slice(0, length) },
  }
}

function tagSplitter({ name, key, value }: TagMarks): TextSplitter {
  return (text) => {
    const calls: SplitCall[] = []
    for (let open = text.indexOf(name.before); open >= 0;) {
      const start = open + name.before.length
      const next = text.indexOf(name.before, start)
      const end = next < 0 ? text.length : next
      const given: Record<string, unknown> = {}
      for (let at = start; ;) {
        const found = text.indexOf(key.before, at)
        const from = found + key.before.length
        // `<` may be all that begins a key: then a closing tag looks like one.
        if (found < 0 || found >= end || text[from] === '/') break
        const to = text.indexOf(key.after, from)
        const begin = text.indexOf(value.before, to) + value.before.length
        const written = text.slice(from, to)
        at = text.indexOf(value.after, begin)
        given[written] = typed(written, text.slice(begin, at))
        at += value.after.length
      }
      calls.push({ name: text.slice(start, text.indexOf(name.after, start)), arguments: JSON.stringify(given) })
      open = next
    }
    return calls
  }
}

/** Calls such as `call:find{count:3,note:<|"|>a<|"|>}`. */
function braceSplitter(quote: string): TextSplitter {
  return (text) => {
    const calls: SplitCall[] = []
    for (let open = text.indexOf('call:'); open >= 0; open = text.indexOf('call:', open)) {
      const brace = text.indexOf('{', open)
      const name = text.slice(open + 5, brace)
      const given: Record<string, unknown> = {}
      let at = brace
      while (text[at] !== '}') {
        const colon = text.indexOf(':', at)
        const key = text.slice(at + 1, colon)
        if (text.startsWith(quote, colon + 1)) {
          const start = colon + 1 + quote.length
          const end = text.indexOf(quote, start)
          given[key] = text.slice(start, end)
          at = end + quote.length
        } else {
          at = bareEnd(text, colon + 1, '}')
          given[key] = typed(key, text.slice(colon + 1, at))
        }
      }
      calls.push({ name, arguments: JSON.stringify(given) })
      open = at
    }
    return calls
  }
}

/** Calls such as `find(count=3, note="a")`. */
function pythonSplit(text: string): readonly SplitCall[] {
  const calls: SplitCall[] = []
  for (let open = text.indexOf('('); open >= 0; open = text.indexOf('(', open)) {
    let start = open
    while (/\w/.test(text.charAt(start - 1))) start--
    const name = text.slice(start, open)
    const given: Record<string, unknown> = {}
    let at = open
    while (text[at] !== ')') {
      const equals = text.indexOf('=', at)
      const key = text.slice(at === open ? at + 1 : at + 2, equals)
      if (text[equals + 1] === '"') {
        let end = text.indexOf('"', equals + 2)
        while (text[end - 1] === '\\') end = text.indexOf('"', end + 1)
        at = end + 1
        const literal = text.slice(equals + 1, at)
        given[key] = literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1)
      } else {
        at = bareEnd(text, equals + 1, ')')
        given[key] = typed(key, text.slice(equals + 1, at))
      }
    }
    calls.push({ name, arguments: JSON.stringify(given) })
    open = at
  }
  return calls
}

/** Where a number ends: at a comma or at the bracket that ends its call. */
function bareEnd(text: string, from: number, bracket: string): number {
  let at = from
  while (text[at] !== ',' && text[at] !== bracket) at++
  return at
}

function typed(key: string, value: string): unknown {
  return key === 'note' ? value : JSON.parse(value)
}
