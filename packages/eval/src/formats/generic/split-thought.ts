import { callsOf, isStrict, promptFrame } from '@callspec/core'
import type { Format } from '@callspec/core'
import type { SplitThought } from '../../reading/visible-text.ts'
import { readFormat } from './read-format.ts'
import { callRegions } from './regions.ts'

const THINK = { open: '<think>', close: '</think>' } as const

/**
 * Parts a reply into what is thought and what is said. Reasoning precedes the calls: what looks like one inside of a call is
 * an argument. One that the prompt has opened only ends; one that is never closed takes the rest.
 */
export function splitThought(format: Format, text: string): SplitThought {
  return answerIn(format, text) ?? splitAtMarkers(format, text)
}

/** Where replies are messages: an answer without its heads; null where there are calls, or something is wrong. */
function answerIn(format: Format, text: string): SplitThought | null {
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

/** Whether a reply goes on with a thought that the prompt has opened. If the reply never closes it, there is none: servers remove reasoning. */
export function beginsInThought(format: Format, text: string): boolean {
  return promptFrame(format)?.opensThought === true && endOfOpened(format, text, marksOf(format)).end > 0
}

function marksOf({ markers: { thought } }: Format): Marks {
  return thought === null ? THINK : { open: thought.open.trim(), close: thought.close.trim() }
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
  const limit = firstCall(format, text, { open, close })
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
function firstCall(format: Format, text: string, { open, close }: Marks): number {
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
