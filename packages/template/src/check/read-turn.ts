import { callsOf } from '@callspec/core'
import type { CallItem, Format, ReplyItem } from '@callspec/core'
import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Sample } from './sample.ts'
import { argumentsOf, callsOfMessage, functionOf, sameValue, toolOfCall } from './tool-calls.ts'

const THINK_END = '</think>'

/** One turn of the model as the template writes it. */
export interface TurnText {
  readonly prompt: string
  readonly reply: string
  readonly message: PyDict
}

/** A turn as a format reads it. */
export interface TurnReading {
  readonly format: Format
  /** Calls of the message that were not read as they were made. */
  readonly unread: readonly PyDict[]
  /** The message with what was read in it. */
  readonly message: PyDict
}

/** The reading of the format that reads most calls; of several, the first. */
export function readTurn(turn: TurnText, sample: Sample, formats: readonly Format[]): TurnReading | null {
  let best: TurnReading | null = null
  for (const format of formats) {
    const reading = readWith(format, turn, sample)
    if (best === null || reading.unread.length < best.unread.length) best = reading
    if (best.unread.length === 0) return best
  }
  return best
}

function readWith(format: Format, { prompt, reply, message }: TurnText, { tools }: Sample): TurnReading {
  const wanted = callsOfMessage(message)
  const open = format.markers.thought?.open
  const { items } = format.read(open === undefined ? withoutThought(reply) : reply, {
    thoughtInContent: open !== undefined && prompt.trimEnd().endsWith(open),
    parallelCalls: true,
    tools: isList(tools) && tools.length > 0 ? tools.filter(isDict) : wanted.map(toolOfCall),
  })
  const calls = callsOf(items)
  const unread = wanted.filter((call, index) => !isReadAs(call, calls[index]))
  return { format, unread, message: rewritten(message, { items, thoughts: open !== undefined }) }
}

function isReadAs(wanted: PyDict, call: CallItem | undefined): boolean {
  const made = functionOf(wanted)
  return call !== undefined && made.name === call.name && sameValue(made.arguments, argumentsOf(call.arguments))
}

/** A server removes reasoning before it reads calls, if the format has no reasoning. */
function withoutThought(reply: string): string {
  const end = reply.indexOf(THINK_END)
  return end === -1 ? reply : reply.slice(end + THINK_END.length)
}

interface Read {
  readonly items: readonly ReplyItem[]
  /** Whether the format reads reasoning. */
  readonly thoughts: boolean
}

/** The message with its content, reasoning and calls replaced by what was read, in the same form. */
function rewritten(message: PyDict, { items, thoughts }: Read): PyDict {
  const entries = [...message].map(([name, value]): readonly [string, PyValue] => {
    if (name === 'content') return [name, contentFrom(value, textIn(items, 'text'))]
    if (name === 'reasoning_content' && typeof value === 'string' && thoughts)
      return [name, sameTrimmed(value, textIn(items, 'reasoning'))]
    if (name === 'tool_calls') return [name, callsFrom(value, items)]
    return [name, value]
  })
  return new Map(entries)
}

function textIn(items: readonly ReplyItem[], kind: 'text' | 'reasoning'): string {
  return items.flatMap((item) => (item.kind === kind ? [item.text] : [])).join('')
}

/** No reader distinguishes null, empty and absent content. */
function contentFrom(before: PyValue, text: string): PyValue {
  if (text.trim() === '' && (before === null || (typeof before === 'string' && before.trim() === ''))) return before
  // No reader returns parts, or reasoning within the content: they are the trainer's own form.
  if (typeof before !== 'string' || before.includes(THINK_END)) return before
  return sameTrimmed(before, text)
}

/** White space at the ends is the template's, which writes its own. */
function sameTrimmed(before: string, text: string): string {
  return before.trim() === text.trim() ? before : text
}

function callsFrom(before: PyValue, items: readonly ReplyItem[]): PyValue {
  const given = isList(before) ? before : []
  if (callsOf(items).length === 0 && given.length === 0) return before
  return callsOf(items).map((call, index) => callFrom(given[index] ?? null, call))
}

function callFrom(before: PyValue, call: CallItem): PyDict {
  const given: PyDict = isDict(before)
    ? before
    : new Map<string, PyValue>([
        ['type', 'function'],
        ['function', null],
      ])
  const inner = given.get('function')
  const made: PyDict = isDict(inner) ? inner : new Map()
  const isText = typeof made.get('arguments') === 'string'
  const read = new Map<string, PyValue>([
    ...made,
    ['name', call.name],
    ['arguments', isText ? call.arguments : argumentsOf(call.arguments)],
  ])
  return isDict(inner) || !given.has('name') ? new Map([...given, ['function', read]]) : new Map([...given, ...read])
}
