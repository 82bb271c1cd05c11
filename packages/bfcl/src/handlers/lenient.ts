import type { PyDict, PyValue, PyLiteral } from '@callspec/python'
import { isDict, isList, strip, isLiteralDict, isLiteralList } from '@callspec/python'
import type { FormatName, Reading } from '@callspec/eval/replies'
import { evalFormat, readLenientJson, splitThought } from '@callspec/eval/replies'
import type { DecodedOutput } from '../check-output.ts'
import type { BfclLanguage } from '../check-value.ts'
import { pythonText } from './json-calls.ts'
import { readLiteral } from '@callspec/python/outcome'

/** The result of reading an output leniently. `intent`: a call was meant, whether or not it can be read. */
export interface LenientReading {
  readonly output: DecodedOutput
  readonly intent: boolean
}

/** Reads outputs of one kind leniently. Never throws. */
export type ReadLeniently = (output: PyValue, language: BfclLanguage) => LenientReading

/** A list of calls, in prose or fences, with or without escaped underscores. */
export const listLeniently: ReadLeniently = (output) => {
  const read = lenientCalls(listInside(textOrNothing(output)))
  return { output: read, intent: read.kind === 'decoded' && isList(read.value) && read.value.length > 0 }
}

/** Calls from a server; their arguments may be nearly JSON. */
export const nativeLeniently: ReadLeniently = (output, language) => {
  const items = isList(output) ? output : []
  const calls = items.map((item) => {
    const [entry] = isDict(item) ? [...item] : []
    const args = typeof entry?.[1] === 'string' ? readLenientJson(entry[1])?.value : entry?.[1]
    return entry === undefined || args === undefined ? null : bfclCall(entry[0], args, language)
  })
  return { output: whole(isList(output) ? calls : [null]), intent: items.some((item) => isDict(item)) }
}

/** Objects with a name and arguments, one or a list; separated by the mark, if there is one. */
export function jsonLeniently(mark: string | null): ReadLeniently {
  return (output, language) => {
    const text = textOrNothing(output)
    const parts = (mark === null ? [text] : text.split(mark)).map((part) => strip(part))
    const calls = parts.filter((part) => part !== '').flatMap((part) => jsonCallsIn(part, language))
    const isMeant = calls.some((call) => call !== null) || /["']arguments["']\s*:/.test(text)
    return { output: whole(calls), intent: calls.length > 0 && isMeant }
  }
}

/** A name on a line and its arguments on the next, any number of times. */
export const linesLeniently: ReadLeniently = (output, language) => {
  const lines = textOrNothing(output)
    .split('\n')
    .filter((line) => strip(line) !== '')
  const calls = lines.flatMap((line, index) => {
    const args = /^\s*\{/.test(line) ? readLenientJson(line)?.value : undefined
    const name = strip(lines[index - 1] ?? '')
    return args === undefined ? [] : [/^[\w.]+$/.test(name) ? bfclCall(name, args, language) : null]
  })
  return { output: whole(calls), intent: calls.length > 0 }
}

/** Reads calls in one of our formats leniently. */
export function formatLeniently(format: FormatName): ReadLeniently {
  return (output, language) => {
    const reading = evalFormat(format).reader.readLenient(visible(output), null)
    return { output: decodedReading(reading, language), intent: reading.intent }
  }
}

/** Reads calls in one of our formats strictly. */
export function formatStrictly(format: FormatName): (output: PyValue, language: BfclLanguage) => DecodedOutput {
  return (output, language) => decodedReading(evalFormat(format).reader.readStrict(visible(output), null), language)
}

function visible(output: PyValue): string {
  return splitThought(textOrNothing(output)).visible
}

function decodedReading({ calls }: Reading, language: BfclLanguage): DecodedOutput {
  return calls === null
    ? { kind: 'failed' }
    : whole(calls.map(({ name, exact }) => bfclCall(name, exact ?? null, language)))
}

function jsonCallsIn(text: string, language: BfclLanguage): readonly (PyDict | null)[] {
  const value = readLenientJson(text)?.value
  const listed = isDict(value) && !value.has('name') ? value.get('tool_calls') : value
  if (listed === undefined) return value === undefined ? [null] : []
  return (isList(listed) ? listed : [listed]).flatMap((item) => {
    const name = isDict(item) ? item.get('name') : undefined
    if (!isDict(item) || typeof name !== 'string') return [null]
    return name === 'no_function' ? [] : [bfclCall(name, item.get('arguments') ?? new Map<string, PyValue>(), language)]
  })
}

/** For Java and JavaScript, arguments become texts. */
function bfclCall(name: string, args: PyValue, language: BfclLanguage): PyDict {
  if (language === 'python' || !isDict(args)) return new Map([[name, args]])
  return new Map([[name, new Map([...args].map(([key, value]) => [key, pythonText(value)]))]])
}

function whole(calls: readonly (PyDict | null)[]): DecodedOutput {
  const read = calls.filter((call) => call !== null)
  return read.length === calls.length ? { kind: 'decoded', value: read } : { kind: 'failed' }
}

/** The first list of calls in a text, without fences and escapes of underscores; else the text. */
function listInside(output: string): string {
  const text = output.replaceAll('\\_', '_').replace(/^```\w*$/gm, '')
  const start = text.search(/\[\s*'?[A-Za-z_][\w.]*\(/)
  if (start < 0) return text
  const end = text.indexOf(')]', start)
  return end < 0 ? text : text.slice(start, end + 2)
}

function textOrNothing(output: PyValue): string {
  return typeof output === 'string' ? output : ''
}

/**
 * The calls of a list in source text, `[f(a=1), g.h(b="x")]`, with or without the brackets. Arguments are Python literals; any
 * other expression stays a text. A positional argument, prose or anything else that is not a call makes the output
 * undecodable. Linear.
 */
export function lenientCalls(output: string): DecodedOutput {
  const text = withoutEdges(output)
  const calls: PyValue[] = []
  let at = 0
  for (;;) {
    at = afterWhiteSpace(text, at)
    if (at >= text.length) return { kind: 'decoded', value: calls }
    const head = CALL_HEAD.exec(text.slice(at, at + LONGEST_CALL_NAME))
    const end = head === null ? null : closingOf(text, at + head[0].length - 1)
    if (head === null || end === null) return { kind: 'failed' }
    const args = namedArguments(text.slice(at + head[0].length, end))
    if (args === null) return { kind: 'failed' }
    calls.push(new Map([[head[1] ?? '', args]]))
    at = afterWhiteSpace(text, end + 1)
    if (at < text.length && text[at] !== ',') return { kind: 'failed' }
    at += 1
  }
}

const CALL_HEAD = /^([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\(/
/** Names of tools have at most a few hundred characters. The limit keeps the search linear. */
const LONGEST_CALL_NAME = 1000

/** Removes all brackets, single quotes and white space at both ends. */
function withoutEdges(output: string): string {
  let [start, end] = [0, output.length]
  while (start < end && isEdge(output[start])) start += 1
  while (end > start && isEdge(output[end - 1])) end -= 1
  return output.slice(start, end)
}

function isEdge(unit: string | undefined): boolean {
  return unit !== undefined && ("[]'".includes(unit) || WHITE_SPACE.test(unit))
}

const WHITE_SPACE = /\s/

function afterWhiteSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && WHITE_SPACE.test(text[at] ?? '')) at += 1
  return at
}

function namedArguments(text: string): ReadonlyMap<string, PyValue> | null {
  const args = new Map<string, PyValue>()
  for (const part of argumentTexts(text)) {
    const named = /^\s*([A-Za-z_]\w*)\s*=(?!=)/.exec(part.slice(0, LONGEST_CALL_NAME))
    if (named === null) return part.trim() === '' && args.size === 0 ? args : null
    args.set(named[1] ?? '', argumentValue(part.slice(named[0].length).trim()))
  }
  return args
}

function argumentValue(source: string): PyValue {
  const read = readLiteral(source)
  const value = read.kind === 'returned' ? literalToJson(read.value) : undefined
  return value === undefined ? source : value
}

/** Tuples become lists, as in JSON; undefined for values that JSON lacks. */
function literalToJson(value: PyLiteral): PyValue | undefined {
  if (typeof value !== 'object' || value === null) return value
  if (isLiteralList(value)) return jsonList(value)
  if (isLiteralDict(value)) {
    const entries = [...value].map(([key, member]) => [key, literalToJson(member)] as const)
    const known = entries.filter((entry): entry is readonly [string, PyValue] => isMember(entry))
    return known.length === entries.length ? new Map(known) : undefined
  }
  return value.kind === 'tuple' ? jsonList(value.items) : undefined
}

function jsonList(items: readonly PyLiteral[]): PyValue | undefined {
  const values = items.map(literalToJson)
  const known = values.filter((value) => value !== undefined)
  return known.length === values.length ? known : undefined
}

function isMember([key, value]: readonly [PyLiteral, PyValue | undefined]): boolean {
  return typeof key === 'string' && value !== undefined
}

/** The texts between commas outside brackets and quotes. */
function argumentTexts(text: string): readonly string[] {
  const found: string[] = []
  let [start, depth, at] = [0, 0, 0]
  while (at < text.length) {
    const unit = text[at] ?? ''
    if (QUOTE_MARKS.includes(unit)) at = afterQuote(text, at)
    else {
      if (OPENING.includes(unit)) depth += 1
      if (CLOSING_BRACKETS.includes(unit)) depth -= 1
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

const QUOTE_MARKS = `"'`
const OPENING = '([{'
const CLOSING_BRACKETS = ')]}'

/** The position of the bracket that closes the one at `open`; null without one. */
function closingOf(text: string, open: number): number | null {
  let [depth, at] = [0, open]
  while (at < text.length) {
    const unit = text[at] ?? ''
    if (QUOTE_MARKS.includes(unit)) {
      at = afterQuote(text, at)
      continue
    }
    if (OPENING.includes(unit)) depth += 1
    if (CLOSING_BRACKETS.includes(unit)) depth -= 1
    if (depth === 0) return at
    at += 1
  }
  return null
}

/** The position after a quoted text, or the end if its quotes are not closed. */
function afterQuote(text: string, open: number): number {
  const quote = text[open] ?? ''
  const long = quote.repeat(3)
  const mark = text.startsWith(long, open) ? long : quote
  let at = open + mark.length
  while (at < text.length && !text.startsWith(mark, at)) at += text[at] === '\\' ? 2 : 1
  return at + mark.length
}
