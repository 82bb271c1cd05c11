import { isLiteralDict, isLiteralList } from '@callspec/python'
import { readLiteral } from '@callspec/python/outcome'
import type { PyLiteral, PyValue } from '@callspec/python'
import type { DecodedOutput } from '../check-output.ts'

/**
 * The calls of a list in source text, `[f(a=1), g.h(b="x")]`, with or without the brackets. Arguments are Python literals; a
 * bare name or another expression stays the text it is. A positional argument, prose and anything else that is no call make
 * the output undecodable. Linear.
 */
export function lenientCalls(output: string): DecodedOutput {
  const text = bare(output)
  const calls: PyValue[] = []
  let at = 0
  for (;;) {
    at = afterSpace(text, at)
    if (at >= text.length) return { kind: 'decoded', value: calls }
    const head = HEAD.exec(text.slice(at, at + LONGEST_NAME))
    const end = head === null ? null : closingOf(text, at + head[0].length - 1)
    if (head === null || end === null) return { kind: 'failed' }
    const args = argumentsOf(text.slice(at + head[0].length, end))
    if (args === null) return { kind: 'failed' }
    calls.push(new Map([[head[1] ?? '', args]]))
    at = afterSpace(text, end + 1)
    if (at < text.length && text[at] !== ',') return { kind: 'failed' }
    at += 1
  }
}

const HEAD = /^([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\(/
/** Names of tools have at most a few hundred characters; a text without an end is not searched for one again and again. */
const LONGEST_NAME = 1000

/** Without brackets and single quotes at its ends, however many. */
function bare(output: string): string {
  let [start, end] = [0, output.length]
  while (start < end && isEdge(output[start])) start += 1
  while (end > start && isEdge(output[end - 1])) end -= 1
  return output.slice(start, end)
}

function isEdge(unit: string | undefined): boolean {
  return unit !== undefined && ("[]'".includes(unit) || SPACE.test(unit))
}

const SPACE = /\s/

function afterSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && SPACE.test(text[at] ?? '')) at += 1
  return at
}

function argumentsOf(text: string): ReadonlyMap<string, PyValue> | null {
  const args = new Map<string, PyValue>()
  for (const part of parts(text)) {
    const named = /^\s*([A-Za-z_]\w*)\s*=(?!=)/.exec(part.slice(0, LONGEST_NAME))
    if (named === null) return part.trim() === '' && args.size === 0 ? args : null
    args.set(named[1] ?? '', valueOf(part.slice(named[0].length).trim()))
  }
  return args
}

function valueOf(source: string): PyValue {
  const read = readLiteral(source)
  const value = read.kind === 'returned' ? jsonValue(read.value) : undefined
  return value === undefined ? source : value
}

/** Tuples become lists, as they do on the way through JSON; undefined for what JSON has not. */
function jsonValue(value: PyLiteral): PyValue | undefined {
  if (typeof value !== 'object' || value === null) return value
  if (isLiteralList(value)) return listOf(value)
  if (isLiteralDict(value)) {
    const entries = [...value].map(([key, member]) => [key, jsonValue(member)] as const)
    const known = entries.filter((entry): entry is readonly [string, PyValue] => isMember(entry))
    return known.length === entries.length ? new Map(known) : undefined
  }
  return value.kind === 'tuple' ? listOf(value.items) : undefined
}

function listOf(items: readonly PyLiteral[]): PyValue | undefined {
  const values = items.map(jsonValue)
  const known = values.filter((value) => value !== undefined)
  return known.length === values.length ? known : undefined
}

function isMember([key, value]: readonly [PyLiteral, PyValue | undefined]): boolean {
  return typeof key === 'string' && value !== undefined
}

/** The texts between the commas that stand outside brackets and quotes. */
function parts(text: string): readonly string[] {
  const found: string[] = []
  let [start, depth, at] = [0, 0, 0]
  while (at < text.length) {
    const unit = text[at] ?? ''
    if (QUOTES.includes(unit)) at = afterQuote(text, at)
    else {
      if (OPENING.includes(unit)) depth += 1
      if (CLOSING.includes(unit)) depth -= 1
      if (unit === ',' && depth === 0) {
        found.push(text.slice(start, at))
        start = at + 1
      }
      at += 1
    }
  }
  const last = text.slice(start)
  return last.trim() === '' && found.length > 0 ? found : [...found, last]
}

const QUOTES = `"'`
const OPENING = '([{'
const CLOSING = ')]}'

/** Where the bracket at `open` is closed; null when it is not. */
function closingOf(text: string, open: number): number | null {
  let [depth, at] = [0, open]
  while (at < text.length) {
    const unit = text[at] ?? ''
    if (QUOTES.includes(unit)) {
      at = afterQuote(text, at)
      continue
    }
    if (OPENING.includes(unit)) depth += 1
    if (CLOSING.includes(unit)) depth -= 1
    if (depth === 0) return at
    at += 1
  }
  return null
}

/** The place after a text in quotes, or the end when they are not closed. */
function afterQuote(text: string, open: number): number {
  const quote = text[open] ?? ''
  const long = quote.repeat(3)
  const mark = text.startsWith(long, open) ? long : quote
  let at = open + mark.length
  while (at < text.length && !text.startsWith(mark, at)) at += text[at] === '\\' ? 2 : 1
  return at + mark.length
}
