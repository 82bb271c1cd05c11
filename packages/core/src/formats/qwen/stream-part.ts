import { isStandardJson, jsonWatch, readJsonOn, rstrip } from '@callspec/python'
import type { JsonWatch } from '@callspec/python'
import { extend, trimmedEnd, stretchAt } from '../../stream/stretch.ts'
import type { PlainText } from '../../stream/plain-text.ts'
import type { Stretch } from '../../stream/stretch.ts'
import { FLOWER, MARKERS } from './tokens.ts'

/** The text before the calls, or the name of a call, while it arrives. */
export interface Part extends Stretch {
  /**
   * The marker, or the beginning of one, that it ends with; white space may follow.
   *
   *   > ✿FUNCTION✿: clock ✿ARG
   *                           ^   should the reply end here, it goes
   *   > ✿FUNCTION✿: clock ✿ARGUS
   *                             ^   null: all of it is the name
   */
  mark: Mark | null
}

/** A marker at the end of a part. `cleanSpan` removes it, unless more text follows. */
export interface Mark {
  readonly at: number
  readonly text: string
  /** The trimmed text of the part before it. */
  readonly before: string
  /** Whether that is JSON, where somebody asks. */
  readonly isJson: boolean
}

/** Arguments while they arrive. */
export interface ArgumentsPart extends Part {
  /**
   * Up to the last brace (or fence) that may end them.
   *
   *   > ✿ARGS✿: {"a": {"b": 1} // so
   *                                 ^   `{"a": {"b": 1}`, as long as no further brace comes
   */
  closed: string
  closedEnd: number
  isClosedJson: boolean
  /**
   * What follows there: a comment, as far as is known. Null as long as nothing is closed.
   *
   *   > ✿ARGS✿: {"a": 1} That is all.
   *                                  ^   `That is all.`, until another brace makes arguments of it
   */
  rest: Stretch | null
  /** Null where nobody asks whether they are JSON. */
  json: JsonWatch | null
  /**
   * The last characters, in which a fence may have begun.
   *
   *   > ✿ARGS✿: ```py\n1\n``
   *                         ^   one more backtick closes the block
   */
  tail: string
}

/** Text of a part: without a flower, or beginning with its only one. */
export interface PartText {
  readonly text: string
  readonly at: number
  readonly isFlower: boolean
}

/** A part that begins at an offset. */
export function partAt(start: number): Part {
  // Written out: many parts are made, and a copy with `...` takes several times as long.
  return { start, head: '', trimmed: '', space: '', mark: null }
}

/** Arguments that begin at an offset. */
export function argumentsAt(start: number, checksJson: boolean): ArgumentsPart {
  return {
    start,
    head: '',
    trimmed: '',
    space: '',
    mark: null,
    closed: '',
    closedEnd: start,
    isClosedJson: false,
    rest: null,
    json: checksJson ? jsonWatch() : null,
    tail: '',
  }
}

/** A copy that goes on by itself. */
export function copyArguments(part: ArgumentsPart): ArgumentsPart {
  return { ...part, rest: part.rest && { ...part.rest }, json: part.json && { ...part.json } }
}

/**
 * Adds text behind everything added before.
 *
 * @returns how many characters it looked at
 */
export function addToPart(part: Part, added: PartText, isSkipped?: (unit: number) => boolean): number {
  const { text, at, isFlower } = added
  const { trimmed, mark } = part
  const looked = extend(part, text, at, isSkipped)
  if (part.trimmed.length === trimmed.length) return looked
  part.mark = isFlower ? markOf(mark, { at, text: rstrip(text), before: trimmed, isJson: false }) : null
  return looked
}

/** What `cleanSpan` leaves of the part if the text ends here. */
export function cleanedText({ trimmed, mark }: Part): string {
  return mark === null ? trimmed : mark.before
}

/** `addToPart` for arguments. */
export function addToArguments(part: ArgumentsPart, added: PartText): number {
  const { text, at } = added
  const { trimmed, space, json } = part
  const isJson = json !== null && isStandardJson(json)
  const looked = addToPart(part, added)
  if (part.trimmed === '') return looked
  if (part.mark?.at === at) part.mark = { ...part.mark, isJson }
  // White space before the arguments is no part of them.
  const start = trimmed === '' ? part.start : at
  const own = text.slice(start - at)
  const ownEnd = Math.max(0, trimmedEnd(part) - start)
  const closer = closerEnd(part, own)
  if (ownEnd > 0) readOn(json, space)
  if (closer > 0) {
    readOn(json, own.slice(0, closer))
    part.closed = trimmed + space + own.slice(0, closer)
    part.closedEnd = start + closer
    part.isClosedJson = json !== null && isStandardJson(json)
    part.rest = stretchAt(part.closedEnd)
  }
  readOn(json, own.slice(closer, ownEnd))
  if (part.rest !== null) extend(part.rest, own.slice(closer), start + closer)
  return looked + 2 * own.length
}

/** What `trimComment` leaves of arguments that `cleanSpan` has read. */
export interface TrimmedArguments {
  readonly text: string
  readonly end: number
  readonly isJson: boolean
  /** Whether they stand in a code block. */
  readonly isCode: boolean
  /** The comment behind them, without white space at its ends; null where there is none. */
  readonly comment: { readonly start: number; readonly end: number; readonly head: string } | null
}

/** What the arguments are if the text ends here. */
export function trimmedArguments(part: ArgumentsPart): TrimmedArguments {
  const { start, head, mark, json, closed, closedEnd, isClosedJson, rest } = part
  const text = cleanedText(part)
  const end = start + text.length
  const isCode = text !== '' && head.startsWith(FENCE)
  if (rest === null) {
    const isJson = mark === null ? json !== null && isStandardJson(json) : mark.isJson
    return { text, end, isJson, isCode, comment: null }
  }
  const comment = end > closedEnd ? { start: rest.start, end, head: rest.head } : null
  return { text: closed, end: closedEnd, isJson: isClosedJson, isCode, comment }
}

/**
 * Without a flower a part goes on, and without a brace or a fence, which may end arguments, its text settles. Null where the
 * part has not begun, or ends with what may be a marker.
 */
export function plainIn({ trimmed, mark, space }: Part): PlainText | null {
  return trimmed === '' || mark !== null ? null : { isBrokenBy, settles: 'all-but-space', space: space.length }
}

function isBrokenBy(text: string): boolean {
  // By units: in a few characters three searches take longer.
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === FLOWER_UNIT || unit === CLOSING_BRACE || unit === FENCE_UNIT) return true
  }
  return false
}

const FLOWER_UNIT = FLOWER.charCodeAt(0)
const CLOSING_BRACE = 0x7d
const FENCE_UNIT = 0x60

/** Names, calls that do not count, and comments settle with the call. */
export const NOTHING_SETTLES: PlainText = { isBrokenBy, settles: 'nothing', space: 0 }

/**
 * The mark that a flower makes of a part's end.
 *
 *   > clock ✿ARGS
 *                ^   its first flower begins a mark
 *   > clock ✿ARGS✿
 *                 ^   the second one ends it, where both are a whole marker
 */
function markOf(previous: Mark | null, mark: Mark): Mark | null {
  // The second flower of a whole marker ends a mark that began with the first one.
  if (previous !== null && previous.at + previous.text.length === mark.at) {
    const text = previous.text + mark.text
    if (MARKERS.includes(text)) return { ...previous, text }
  }
  return MARKERS.some((marker) => marker.startsWith(mark.text)) ? mark : null
}

function readOn(json: JsonWatch | null, text: string): void {
  if (json !== null && json.state !== 'dead') readJsonOn(json, text)
}

/** How much of the text stands before and in the last thing that may end the arguments; 0 where nothing may. */
function closerEnd(part: ArgumentsPart, text: string): number {
  // Searched forwards first: where there is none, that is many times faster.
  if (part.head.startsWith('{')) return text.includes('}') ? text.lastIndexOf('}') + 1 : 0
  if (!FENCE.startsWith(part.head.slice(0, FENCE.length))) return 0
  const joined = part.tail + text
  const before = part.tail.length
  part.tail = joined.slice(-FENCE.length)
  const fence = joined.lastIndexOf(CLOSING_FENCE)
  return fence < 0 ? 0 : fence + CLOSING_FENCE.length - before
}

const FENCE = '```'
const CLOSING_FENCE = `\n${FENCE}`
