import type { SplitThought } from '../../reading/read-blocks.ts'
import { outsideBlocks } from '../../reading/read-blocks.ts'
import { onceEach } from '../../text/excerpt.ts'
import type { ReadInput } from './read-format.ts'
import { readFormat, callRegions, widened } from './read-format.ts'
import { readLenient, isSpoken, readStrict } from './read-calls.ts'
import { callMeant, asPattern } from './spelling.ts'
import { wrapperOf } from './repair.ts'
import type { Format } from '@callspec/core'
import { promptFrame, callsOf, isStrict } from '@callspec/core'
import type { CallBlock } from '../../reading/call-block.ts'
import type { FormatReader } from '../eval-format.ts'

/** What a host writes around and after results, as far as a model would have to write it. */
export interface ResultMarks {
  /** The text before a result; empty if it has no fixed form. */
  readonly open: string
  readonly close: string
  /** Whether the mark counts only at the beginning of a line. */
  readonly isLine: boolean
}

/** The marks that the prompts of a format put around results. */
export function resultMarks(format: Format): ResultMarks {
  const frame = promptFrame(format)
  if (frame === null) return { open: '', close: '', isLine: false }
  const { markers, stops } = format
  const behindTurn = (text: string): string => stops.end.reduce((rest, mark) => rest.split(mark).at(-1) ?? '', text)
  const ended = behindTurn(withoutTail(format, frame.beforeResult[0] ?? ''))
  const begun = behindTurn(frame.beforeQuestion)
  const own = begun.trim() !== '' && ended.startsWith(begun) ? ended.slice(begun.length) : ended
  const open = own.replace(/^[^<[\s]+(?=\s)/, '').trim()
  const close = (frame.afterResult.at(-1) ?? '').trim()
  const known = [...markers.others, ...stops.words]
  const isPart = known.some((marker) => marker.length > close.length && marker.trim().startsWith(close))
  return {
    open,
    // Where replies are messages, they end as results do.
    close: markers.head !== undefined || stops.end.includes(close) || isPart ? '' : close,
    isLine: markers.others.includes(`\n${open}`),
  }
}

/** Without the text after the arguments of the previous call. */
function withoutTail(format: Format, text: string): string {
  const written = format.write([{ kind: 'call', name: 'probe', arguments: '{"a": "probe text"}', id: null }])
  const tail = written.slice(written.indexOf('probe text') + 'probe text'.length)
  const known = [tail, tail.replace(/^"/, '')].find((each) => each !== '' && text.startsWith(each))
  return known === undefined ? text : text.slice(known.length)
}

/** Those of some marks that no prose has. */
export function signsAmong(marks: readonly string[]): readonly string[] {
  return [...new Set(marks)].filter((mark) => mark.length > 2 && /[^\w\s:]/u.test(mark))
}

/** A marker of the kind `✿FUNCTION✿:`: a word between two of the same sign. */
const FRAMED = /^([^\w\s]+)(\w+)\1:$/u

/**
 * Finds where a text has a call without the signs of its markers, or without the words between them: `: clock`, then `: {}`.
 * Null for a format whose markers have no such signs.
 */
export function eatenMarks({ markers }: Format): ((text: string) => number | null) | null {
  const [start, inner] = [markers.callStart, markers.callInner].map(
    (kind) => kind.map((marker) => FRAMED.exec(marker)).find((match) => match !== null) ?? null,
  )
  if (!start || !inner) return null
  const [, sign = '', name = ''] = start
  const [, , args = ''] = inner
  const word = (text: string): string => `[ \\t]{0,8}(?:${text})?[ \\t]{0,4}[:：][ \\t]{0,4}`
  const eaten = new RegExp(`(?:^|\\n)${word(name)}[\\w.-]{1,80}[ \\t]{0,4}\\n${word(args)}\\{`)
  return (text) => {
    const match = text.includes(sign) ? null : eaten.exec(text)
    return match === null ? null : match.index + (match[0].startsWith('\n') ? 1 : 0)
  }
}

/**
 * How the replies of a format are read: strictly by its own reader, leniently by the same after repairs.
 *
 * @param version the version of the format's reference whose reader counts; the format's first one where it is left out
 */
export function genericReader(format: Format, version?: string): FormatReader {
  const begun = callMeant(format)
  const eatenAt = eatenMarks(format)
  const means = (text: string): boolean => begun.test(text) || (eatenAt?.(text) ?? null) !== null
  const input = (text: string, tools: ReadInput['tools']): ReadInput =>
    version === undefined ? { text, tools, means } : { text, tools, means, version }
  const blocks = onceEach((text) => blocksOf(format, text))
  const { answer } = format.markers
  const { words } = format.stops
  return {
    readStrict: (text, _question, tools = null) => readStrict(format, input(text, tools)),
    readLenient: (text, _question, tools = null) => readLenient(format, input(text, tools)),
    blocks,
    split: (text) => splitThought(format, text),
    speaks: (text) =>
      mayHoldCall(format, text) &&
      beginnings(format, text).some((each) => isSpoken(readFormat(format, each, input(each, null)))),
    ...(eatenAt === null ? {} : { eatenAt }),
    ...hostWords(format, blocks),
    hasFinalForm: (text) => (answer === undefined ? text.trim() !== '' : beginsLine(answer.trim()).test(text)),
    finalText: (text) => (answer === undefined ? text : behindAnswer(text, answer.trim())),
    saysWhenDone: answer !== undefined,
    // An action follows its thought, and nothing marks the end of arguments in formats with stop words.
    flagsProse: { before: answer === undefined, after: words.length === 0 },
  }
}

/** What only a host writes, and whether a model did. */
function hostWords(
  format: Format,
  blocks: FormatReader['blocks'],
): Pick<FormatReader, 'hostMarks' | 'stopWords' | 'inventsResult'> {
  const { open, close, isLine } = resultMarks(format)
  const { handOver, words } = format.stops
  // A value that is written as text may contain one; only the grammar knows its meaning there.
  const { callEnd } = format.markers
  const stray = format.traits.typedValues ? [] : callEnd.filter((marker) => marker.trim() === marker)
  return {
    hostMarks: signsAmong([...stray, open, close, ...words]),
    stopWords: [...handOver, ...words.flatMap((word) => (/:\s*$/.test(word) ? [word] : [`${word}:`, word]))],
    inventsResult: (text) => {
      if (open === '' || !text.includes(open)) return false
      if (format.markers.head !== undefined) return saysForOthers(format, text)
      const outside = outsideBlocks(blocks(text), text)
      const at = isLine ? outside.search(beginsLine(open)) : outside.indexOf(open)
      const after = at < 0 ? '' : outside.slice(at).trimStart().slice(open.length)
      return after.replace(/^:/, '').trim().replace(close, '').trim() !== ''
    },
  }
}

/** Whether a message of another role has content, in formats whose replies are messages. */
function saysForOthers(format: Format, text: string): boolean {
  const { items } = readFormat(format, text, { tools: null })
  return items.some((item) => item.kind === 'issue' && item.code === 'text-dropped')
}

/** Most replies hold no marker; where one is needed, they are not read. */
function mayHoldCall(format: Format, text: string): boolean {
  return (
    format.traits.onlyMarkedCalls !== true ||
    format.markers.callStart.some((marker) => text.includes(marker.trimStart()))
  )
}

/** A reply may continue the end of the prompt, such as a keyword; elsewhere its first call may be the first line. */
function beginnings({ markers }: Format, text: string): readonly string[] {
  return markers.callStart.some((marker) => marker.startsWith('\n')) ? [text, `\n${text}`] : [text]
}

function behindAnswer(text: string, mark: string): string {
  const at = text.lastIndexOf(mark)
  return at < 0 ? text : text.slice(at + mark.length)
}

function beginsLine(mark: string): RegExp {
  return new RegExp(`(?:^|\\n)[ \\t]*${asPattern(mark)}`)
}

function blocksOf(format: Format, text: string): readonly CallBlock[] {
  let last = 0
  const isWrapped = wrapperOf(format) !== null
  return callRegions(format, text).map((region): CallBlock => {
    const { start, end } = widened(format, text, region)
    const json = text.slice(isWrapped ? region.opened : region.body, region.bodyEnd).trim()
    const from = Math.max(start, last)
    last = Math.max(end, from)
    return { name: null, json, repairs: region.isClosed ? [] : ['close-tag'], start: from, end: last }
  })
}

const THINK_TAGS = { open: '<think>', close: '</think>' } as const

/**
 * Splits a reply into reasoning and visible text. Reasoning precedes the calls: what looks like one inside of a call is
 * an argument. One that the prompt has opened only ends; one that is never closed takes the rest.
 */
export function splitThought(format: Format, text: string): SplitThought {
  return answerWithoutHeads(format, text) ?? splitAtMarkers(format, text)
}

/** Where replies are messages: an answer without its heads; null where there are calls, or something is wrong. */
function answerWithoutHeads(format: Format, text: string): SplitThought | null {
  if (format.markers.head === undefined) return null
  const { items } = readFormat(format, text, { tools: null })
  if (callsOf(items).length > 0 || !isStrict(items)) return null
  const joined = (kind: 'text' | 'reasoning'): string =>
    items.flatMap((item) => (item.kind === kind ? [item.text] : [])).join('\n')
  return { thought: joined('reasoning'), visible: joined('text'), isUnclosed: false }
}

function splitAtMarkers(format: Format, text: string): SplitThought {
  const marks = marksOf(format)
  if (!text.includes(marks.open) && !text.includes(marks.close))
    return { thought: '', visible: text, isUnclosed: false }
  const begun = endOfOpened(format, text, marks)
  const rest = splitPairs(format, text.slice(begun.end), marks)
  return { ...rest, thought: begun.thought + rest.thought }
}

/** Whether a reply goes on with a thought that the prompt has opened. If the reply never closes it, the server has removed the reasoning. */
export function beginsInThought(format: Format, text: string): boolean {
  return promptFrame(format)?.opensThought === true && endOfOpened(format, text, marksOf(format)).end > 0
}

function marksOf({ markers: { thought } }: Format): Marks {
  return thought === null ? THINK_TAGS : { open: thought.open.trim(), close: thought.close.trim() }
}

interface Marks {
  readonly open: string
  readonly close: string
}

/** The end of reasoning that the reply does not open: after the last closing marker outside of calls. */
function endOfOpened(
  format: Format,
  text: string,
  { open, close }: Marks,
): { readonly thought: string; readonly end: number } {
  const first = text.indexOf(open)
  const before = first < 0 ? text : text.slice(0, first)
  const at = before.lastIndexOf(close)
  const isInCall = at >= 0 && callRegions(format, text).some(({ start, end }) => start <= at && at < end)
  // In formats whose replies are messages, it ends the message whose head precedes it.
  const head = format.markers.head?.close
  const isOfMessage = head !== undefined && before.includes(head)
  return at < 0 || isInCall || isOfMessage
    ? { thought: '', end: 0 }
    : { thought: text.slice(0, at), end: at + close.length }
}

function splitPairs(format: Format, text: string, { open, close }: Marks): SplitThought {
  const limit = firstCallStart(format, text, { open, close })
  let thought = ''
  let visible = ''
  let at = 0
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

/** The start of the first call outside of reasoning. */
function firstCallStart(format: Format, text: string, { open, close }: Marks): number {
  const pieces: string[] = []
  let at = 0
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, at)) {
    const end = text.indexOf(close, start + open.length)
    const behind = end < 0 ? text.length : end + close.length
    pieces.push(text.slice(at, start), ' '.repeat(behind - start))
    at = behind
  }
  return callRegions(format, [...pieces, text.slice(at)].join(''))[0]?.start ?? text.length
}
