import type { CallItem, Format, ReplyItem } from '@callspec/core'
import { callsOf, isStrict, promptFrame } from '@callspec/core'
import { isDict, toPlain } from '@callspec/python'
import { NO_CALL } from '../../reading/call-block.ts'
import type { CallBlock, Problem, ReadCall, Reading, Repair } from '../../reading/call-block.ts'
import { readLenientJson, readStrictJson } from '../../reading/lenient-json.ts'
import { outsideBlocks } from '../../reading/outside-blocks.ts'
import type { SplitThought } from '../../reading/thought.ts'
import type { ToolSpec } from '../../trace/task.ts'
import type { Dialect } from '../dialect.ts'
import { readFormat } from './read-format.ts'
import { callRegions, widened } from './regions.ts'
import { anyCase, repaired } from './repair.ts'

type Tools = readonly ToolSpec[] | null

/** How the replies of a format are read: strictly by its own reader, leniently by the same after repairs. */
export function formatDialect(format: Format): Dialect {
  const means = anyCase(format, ['callStart'])
  const { mark, close } = resultMarks(format)
  const blocks = (text: string): readonly CallBlock[] => blocksOf(format, text)
  return {
    readStrict: (text, _question, tools = null) => readStrict(format, { text, tools, means }),
    readLenient: (text, _question, tools = null) => readLenient(format, { text, tools, means }),
    blocks,
    split: (text) => splitThought(format, text),
    speaks: (text) => {
      const { items, error } = readFormat(format, text, null)
      return error === null && isStrict(items) && callsOf(items).length > 0
    },
    hostMarks: [mark, close].filter((each) => each !== ''),
    stopWords: [...format.stops.handOver, ...format.stops.words],
    inventsResult: (text) => {
      if (mark === '' || !text.includes(mark)) return false
      if (format.markers.head !== undefined) return saysForOthers(format, text)
      const outside = outsideBlocks(blocks(text), text)
      const at = outside.indexOf(mark)
      return at >= 0 && outside.slice(at + mark.length).trim() !== ''
    },
    hasFinalForm: (text) => text.trim() !== '',
    finalText: (text) => text,
    saysWhenDone: false,
    flagsProse: { before: true, after: true },
  }
}

/** What a host writes before a result and behind it, as far as a model would have to write it. */
function resultMarks(format: Format): { readonly mark: string; readonly close: string } {
  const frame = promptFrame(format)
  if (frame === null) return { mark: '', close: '' }
  const user = frame.beforeQuestion
  const [first = ''] = frame.beforeResult
  const { end } = format.stops
  const ended = end.reduce((text, mark) => text.split(mark).at(-1) ?? '', first)
  const begun = end.reduce((text, mark) => text.split(mark).at(-1) ?? '', user)
  const own = begun.trim() !== '' && ended.startsWith(begun) ? ended.slice(begun.length) : ended
  const close = frame.afterResult.trim()
  // Where replies are messages, they end as results do.
  const isShared = format.markers.head !== undefined || end.includes(close)
  return { mark: own.replace(/^[^<[\s]+(?=\s)/, '').trim(), close: isShared ? '' : close }
}

interface ReadInput {
  readonly text: string
  readonly tools: Tools
  /** A marker that begins a call, in any case. */
  readonly means: RegExp
}

function readStrict(format: Format, { text, tools, means }: ReadInput): Reading {
  const { items, error } = readFormat(format, text, tools)
  if (error !== null) return unreadable('markers malformed')
  const issues = items.filter((item) => item.kind === 'issue')
  const harm = issues.find(({ code, weight }) => weight === 'harm' && !isHarmless(format, code))
  const calls = callsOf(items)
  if (harm !== undefined) return unreadable(problemOf(harm.code))
  if (calls.length === 0) return text.search(means) >= 0 ? unreadable('markers malformed') : NO_CALL
  return reading(calls, (given) => {
    const value = readStrictJson(given)
    return value === undefined ? null : { value, repairs: [] }
  })
}

/** Whether a message of somebody else has content, where replies are messages. */
function saysForOthers(format: Format, text: string): boolean {
  return readFormat(format, text, null).items.some((item) => item.kind === 'issue' && item.code === 'text-dropped')
}

/** What is read all the same; or, where replies are messages, an answer alone and what others are made to say. */
function isHarmless({ markers }: Format, code: string): boolean {
  if (code === 'arguments-not-object') return true
  return markers.head !== undefined && (code === 'markers-missing' || code === 'text-dropped')
}

/** As given where only arguments have to be read loosely, else with repairs in the text. */
function readLenient(format: Format, input: ReadInput): Reading {
  const asGiven = readLoosely(format, input, [])
  if (asGiven !== null) return asGiven
  const strict = readStrict(format, input)
  if (!strict.intent) return strict
  const { text, repairs } = repaired(format, input.text)
  return readLoosely(format, { ...input, text }, repairs) ?? strict
}

/** Null where calls are missing, or cannot be read. */
function readLoosely(format: Format, { text, tools }: ReadInput, repairs: readonly Repair[]): Reading | null {
  const { items, error } = readFormat(format, text, tools)
  const calls = callsOf(items)
  if (error !== null || calls.length === 0 || items.some((item) => losesCall(format, item))) return null
  const loose = reading(calls, readLenientJson)
  return loose.calls === null ? null : { ...loose, repairs: [...new Set([...repairs, ...loose.repairs])] }
}

/** Whether something is wrong that arguments alone cannot put right. */
function losesCall(format: Format, item: ReplyItem): boolean {
  if (item.kind !== 'issue' || item.weight !== 'harm') return false
  return !OF_ARGUMENTS.has(item.code) && !isHarmless(format, item.code)
}

const OF_ARGUMENTS: ReadonlySet<string> = new Set(['arguments-not-json', 'arguments-not-object'])

type ReadArguments = (text: string) => ReturnType<typeof readLenientJson>

function reading(calls: readonly CallItem[], read: ReadArguments): Reading {
  const found: ReadCall[] = []
  const repairs: Repair[] = []
  for (const { name, arguments: given } of calls) {
    if (name === '') return unreadable('no name')
    const outer = read(given)
    if (outer === null) return unreadable('not JSON')
    const inner = typeof outer.value === 'string' && read === readLenientJson ? readStrictJson(outer.value) : undefined
    const value = isDict(inner ?? null) ? (inner ?? null) : outer.value
    if (!isDict(value) && typeof value !== 'string') return unreadable('arguments are no object')
    repairs.push(...outer.repairs, ...(value === outer.value ? [] : (['double-encoding'] as const)))
    found.push({ name, args: toPlain(value), exact: value })
  }
  return { intent: true, calls: found, repairs, problem: null }
}

function unreadable(problem: Problem): Reading {
  return { intent: true, calls: null, repairs: [], problem }
}

function problemOf(code: string): Problem {
  switch (code) {
    case 'arguments-not-json':
    case 'body-not-readable':
      return 'not JSON'
    case 'call-without-name':
      return 'no name'
    case 'call-without-arguments':
      return 'no arguments'
    case 'call-not-closed':
    case 'cut':
      return 'tag not closed'
    default:
      return 'markers malformed'
  }
}

function blocksOf(format: Format, text: string): readonly CallBlock[] {
  let last = 0
  return callRegions(format, text).map((region): CallBlock => {
    const { start, end } = widened(format, text, region)
    const block = { name: null, json: text.slice(region.body, region.bodyEnd).trim(), repairs: [] }
    const from = Math.max(start, last)
    last = Math.max(end, from)
    return { ...block, start: from, end: last }
  })
}

const THINK = { open: '<think>', close: '</think>' } as const

/** Thoughts stand before the calls: what looks like one inside a call is an argument. */
function splitThought(format: Format, text: string): SplitThought {
  return answerIn(format, text) ?? splitAtMarkers(format, text)
}

/** Where replies are messages: an answer without its heads; null where there are calls, or something is wrong. */
function answerIn(format: Format, text: string): SplitThought | null {
  if (format.markers.head === undefined) return null
  const { items } = readFormat(format, text, null)
  if (callsOf(items).length > 0 || !isStrict(items)) return null
  const joined = (kind: 'text' | 'reasoning'): string =>
    items.flatMap((item) => (item.kind === kind ? [item.text] : [])).join('\n')
  return { thought: joined('reasoning'), visible: joined('text'), isUnclosed: false }
}

function splitAtMarkers(format: Format, text: string): SplitThought {
  const { open, close } = format.markers.thought ?? THINK
  const first = callRegions(
    format,
    text.replaceAll(new RegExp(`${escaped(open)}[^]*?(?:${escaped(close)}|$)`, 'g'), (all) => ' '.repeat(all.length)),
  )[0]
  const limit = first?.start ?? text.length
  let thought = ''
  let visible = ''
  let at = 0
  if (promptFrame(format)?.opensThought === true && !text.trimStart().startsWith(open)) {
    const end = text.indexOf(close)
    if (end >= 0) {
      thought = text.slice(0, end)
      at = end + close.length
    }
  }
  for (;;) {
    const start = text.indexOf(open, at)
    if (start < 0 || start > limit) return { thought, visible: visible + text.slice(at), isUnclosed: false }
    const end = text.indexOf(close, start + open.length)
    visible += text.slice(at, start)
    thought += text.slice(start + open.length, end < 0 ? undefined : end)
    if (end < 0) return { thought, visible, isUnclosed: true }
    at = end + close.length
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`)
}
