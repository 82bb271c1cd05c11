import { StringDecoder } from 'node:string_decoder'
import type { Format, ReadOptions, ReplyEvent } from '@callspec/core'
import { dumps, quoteText, unreachable } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { escapeLoneSurrogates } from '../output.ts'

/** Takes a piece of the output. */
export type Sink = (piece: string) => Promise<void> | void

/**
 * Reads a large reply piece by piece, and prints the same JSON as `dumps` of `parseText` makes of it: of the reply, memory holds one call at
 * most.
 *
 * @param pieces valid UTF-8
 */
export async function printLargeReply(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  { format, options, head, itemData }: LargeReply,
  sink: Sink,
): Promise<void> {
  const reader = format.createReader({ ...options, withoutSnapshots: true })
  const printing: Printing = { itemData, count: 0, run: null, call: null }
  const members = [...head].map(([name, value]) => `  ${quoteText(name)}: ${dumps(value)},\n`)
  let held = `{\n${members.join('')}  "items": [`
  const print = async (events: readonly ReplyEvent[]): Promise<void> => {
    for (const piece of printedEvents(printing, events)) {
      held += piece
      if (held.length < WRITTEN_AT_ONCE) continue
      await sink(held)
      held = ''
    }
  }
  for await (const text of textsOf(pieces)) await print(reader.push(text))
  await print(reader.end())
  await sink(`${held}${endOfRun(printing)}${printing.count === 0 ? '' : '\n  '}]\n}\n`)
}

/** A write costs more than a small item. */
const WRITTEN_AT_ONCE = 32 * 1024

/** How a large reply is read and printed. */
export interface LargeReply {
  readonly format: Format
  readonly options: ReadOptions
  /** The members before `items`. */
  readonly head: PyDict
  /** What is printed of an item that is no text. */
  readonly itemData: (item: object) => PyValue
}

/** Small enough that what is made of it is soon collected, large enough that few calls are cut. */
const READ_AT_ONCE = 64 * 1024

/** Texts of whole characters. */
async function* textsOf(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  for await (const piece of pieces)
    for (let start = 0; start < piece.length; start += READ_AT_ONCE)
      yield decoder.write(piece.subarray(start, start + READ_AT_ONCE))
}

type TextEvent = Extract<ReplyEvent, { kind: 'text' | 'reasoning' }>
type CallEvent = Extract<ReplyEvent, { kind: 'call' }>

/** What has been printed, and what is still open. */
interface Printing {
  readonly itemData: LargeReply['itemData']
  /** Items so far. */
  count: number
  /** The text that may go on; the first half of a character may be at its end. */
  run: { readonly first: TextEvent; half: string } | null
  call: { readonly event: CallEvent; readonly pieces: string[] } | null
}

/** Prints items as `foldEvents` gathers them: a text while it arrives, a call when it has ended. One that never ends is left out. */
function* printedEvents(printing: Printing, events: readonly ReplyEvent[]): Generator<string> {
  for (const event of events) {
    switch (event.kind) {
      case 'text':
      case 'reasoning':
        yield* printedText(printing, event)
        break
      case 'call':
        yield endOfRun(printing)
        printing.call = { event, pieces: [] }
        break
      case 'arguments':
        printing.call?.pieces.push(event.text)
        break
      case 'call-end':
        yield* printedCall(printing)
        break
      case 'issue':
        yield endOfRun(printing) + separator(printing) + wholeItem(printing, event)
        break
      case 'rejected':
        throw new Error('a grammar rejects no reply')
      default:
        unreachable(event)
    }
  }
}

function* printedText(printing: Printing, event: TextEvent): Generator<string> {
  const { kind, channel } = event
  let { run } = printing
  if (run === null || event.begins === true || run.first.kind !== kind || run.first.channel !== channel) {
    yield `${endOfRun(printing)}${separator(printing)}{\n      "kind": "${kind}",\n      "text": "`
    run = { first: event, half: '' }
    printing.run = run
  }
  const text = run.half + event.text
  run.half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ''
  yield* escapedParts(text.slice(0, text.length - run.half.length))
}

function* printedCall(printing: Printing): Generator<string> {
  const { call } = printing
  if (call === null) return
  printing.call = null
  const { name, id, isFree } = call.event
  const item = { kind: 'call', name, id, ...(isFree === true && { isFree }), arguments: '' }
  yield endOfRun(printing) + separator(printing) + wholeItem(printing, item).replace(EMPTY_END, '')
  yield* escapedPieces(call.pieces)
  yield '"\n    }'
}

function separator(printing: Printing): string {
  printing.count += 1
  return printing.count === 1 ? '\n    ' : ',\n    '
}

function endOfRun(printing: Printing): string {
  const { run } = printing
  if (run === null) return ''
  printing.run = null
  const { channel } = run.first
  return `${escaped(run.half)}"${channel === undefined ? '' : `,\n      "channel": "${escaped(channel)}"`}\n    }`
}

function wholeItem({ itemData }: Printing, item: object): string {
  return escapeLoneSurrogates(dumps(itemData(item), { indent: 2 })).replaceAll('\n', '\n    ')
}

/** The end of a call whose arguments are empty. */
const EMPTY_END = /"\s*\}$/

/** The same of a text in pieces, which are let go as they are printed: joined, a large call would be there twice. */
function* escapedPieces(pieces: string[]): Generator<string> {
  let half = ''
  for (const [at, piece] of pieces.entries()) {
    pieces[at] = ''
    const text = half + piece
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ''
    yield* escapedParts(text.slice(0, text.length - half.length))
  }
  yield escaped(half)
}

/** A large text escaped at once would be there several times. */
const ESCAPED_AT_ONCE = 32 * 1024

/** A text of whole characters, as parts of a JSON string. */
function* escapedParts(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + ESCAPED_AT_ONCE)
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1
    yield escaped(text.slice(start, end))
    start = end
  }
}

function escaped(text: string): string {
  return escapeLoneSurrogates(quoteText(text).slice(1, -1))
}
