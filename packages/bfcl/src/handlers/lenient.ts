import { isDict, isList, strip } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { evalFormat } from '@callspec/eval'
import type { FormatName } from '@callspec/eval'
import { readLenientJson, splitThought } from '@callspec/eval/reply-parts'
import type { Reading } from '@callspec/eval/reply-parts'
import type { DecodedOutput } from '../check-output.ts'
import type { BfclLanguage } from '../verdict.ts'
import { lenientCalls } from './lenient-calls.ts'
import { pythonText } from './native-calls.ts'

/** What an output holds if it is read as leniently as it allows. `intent`: a call was meant, whether or not it can be read. */
export interface LenientReading {
  readonly output: DecodedOutput
  readonly intent: boolean
}

/** Reads outputs of one kind leniently. Never throws. */
export type ReadLeniently = (output: PyValue, language: BfclLanguage) => LenientReading

/** A list of calls, with prose, fences or escaped underscores around it. */
export const listLeniently: ReadLeniently = (output) => {
  const read = lenientCalls(listInside(textOf(output)))
  return { output: read, intent: read.kind === 'decoded' && isList(read.value) && read.value.length > 0 }
}

/** Calls as a server gives them; their arguments may be nearly JSON. */
export const nativeLeniently: ReadLeniently = (output, language) => {
  const items = isList(output) ? output : []
  const calls = items.map((item) => {
    const [entry] = isDict(item) ? [...item] : []
    const args = typeof entry?.[1] === 'string' ? readLenientJson(entry[1])?.value : entry?.[1]
    return entry === undefined || args === undefined ? null : wrapped(entry[0], args, language)
  })
  return { output: whole(isList(output) ? calls : [null]), intent: items.some((item) => isDict(item)) }
}

/** Objects with a name and arguments, one or a list of them; between marks, if there is one. */
export function jsonLeniently(mark: string | null): ReadLeniently {
  return (output, language) => {
    const text = textOf(output)
    const parts = (mark === null ? [text] : text.split(mark)).map((part) => strip(part))
    const calls = parts.filter((part) => part !== '').flatMap((part) => callsIn(part, language))
    const isMeant = calls.some((call) => call !== null) || /["']arguments["']\s*:/.test(text)
    return { output: whole(calls), intent: calls.length > 0 && isMeant }
  }
}

/** A name on a line and its arguments on the next, any number of them. */
export const linesLeniently: ReadLeniently = (output, language) => {
  const lines = textOf(output)
    .split('\n')
    .filter((line) => strip(line) !== '')
  const calls = lines.flatMap((line, index) => {
    const args = /^\s*\{/.test(line) ? readLenientJson(line)?.value : undefined
    const name = strip(lines[index - 1] ?? '')
    return args === undefined ? [] : [/^[\w.]+$/.test(name) ? wrapped(name, args, language) : null]
  })
  return { output: whole(calls), intent: calls.length > 0 }
}

/** As a prompt format of ours is read. */
export function formatLeniently(format: FormatName): ReadLeniently {
  return (output, language) => {
    const reading = evalFormat(format).reader.readLenient(visible(output), null)
    return { output: decodedReading(reading, language), intent: reading.intent }
  }
}

/** The calls of a prompt format of ours, read strictly. */
export function formatStrictly(format: FormatName): (output: PyValue, language: BfclLanguage) => DecodedOutput {
  return (output, language) => decodedReading(evalFormat(format).reader.readStrict(visible(output), null), language)
}

function visible(output: PyValue): string {
  return splitThought(textOf(output)).visible
}

function decodedReading({ calls }: Reading, language: BfclLanguage): DecodedOutput {
  return calls === null
    ? { kind: 'failed' }
    : whole(calls.map(({ name, exact }) => wrapped(name, exact ?? null, language)))
}

function callsIn(text: string, language: BfclLanguage): readonly (PyDict | null)[] {
  const value = readLenientJson(text)?.value
  const listed = isDict(value) && !value.has('name') ? value.get('tool_calls') : value
  if (listed === undefined) return value === undefined ? [null] : []
  return (isList(listed) ? listed : [listed]).flatMap((item) => {
    const name = isDict(item) ? item.get('name') : undefined
    if (!isDict(item) || typeof name !== 'string') return [null]
    return name === 'no_function' ? [] : [wrapped(name, item.get('arguments') ?? new Map<string, PyValue>(), language)]
  })
}

/** For Java and JavaScript the arguments become texts. */
function wrapped(name: string, args: PyValue, language: BfclLanguage): PyDict {
  if (language === 'python' || !isDict(args)) return new Map([[name, args]])
  return new Map([[name, new Map([...args].map(([key, value]) => [key, pythonText(value)]))]])
}

function whole(calls: readonly (PyDict | null)[]): DecodedOutput {
  const read = calls.filter((call) => call !== null)
  return read.length === calls.length ? { kind: 'decoded', value: read } : { kind: 'failed' }
}

/** The first list of calls in a text with prose, fences or escaped underscores around it; else the text. */
function listInside(output: string): string {
  const text = output.replaceAll('\\_', '_').replace(/^```\w*$/gm, '')
  const start = text.search(/\[\s*'?[A-Za-z_][\w.]*\(/)
  if (start < 0) return text
  const end = text.indexOf(')]', start)
  return end < 0 ? text : text.slice(start, end + 2)
}

function textOf(output: PyValue): string {
  return typeof output === 'string' ? output : ''
}
