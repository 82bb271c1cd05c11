import { isSpace, pyLength } from '@callspec/python'
import { MAX_QUOTE } from '../issue.ts'
import { hasNonSpace } from '../span.ts'
import type { PartialCall } from './partial.ts'
import { ARGUMENTS_START, NAME_END, NAME_START } from './tokens.ts'

/**
 * The body of a call that is still being written. What `extractFn` says about it is known without reading anything twice,
 * for versions whose names need a separator and whose arguments lose one character (`nousPartialName`,
 * `nousPartialCall`).
 *
 * The body is `head + settled + last + spaces + unread`. The long ones grow at their end only, and nobody looks into them
 * while they grow: then the engine puts off copying them.
 */
export interface OpenCall {
  /**
   * Up to the first character of the arguments that is no white space.
   *
   *   > {"name": "noon", "arguments": {"q": 1}} \n
   *                                   ^              here it ends
   */
  head: string
  /**
   * The arguments without `last` and `spaces`.
   *
   *   > {"name": "noon", "arguments": {"q": 1}} \n
   *                                   ^       ^      from here to there
   */
  settled: string
  /**
   * The last code point of the arguments that is no white space; empty before there is one.
   *
   *   > {"name": "noon", "arguments": {"q": 1}} \n
   *                                           ^      the reference drops it, the brace of the call or not
   */
  last: string
  spaces: string
  /** Not looked at yet. */
  unread: string
  /** The beginning of the body, as long as issues quote. */
  start: string
  /** How many characters have been looked at, and the last of them. */
  readLength: number
  seam: string
  hasNonSpace: boolean
  /**
   * Where the name begins; null where nothing says so yet.
   *
   *   > {"name": "clock
   *               ^
   */
  nameStart: number | null
  /**
   * Null as long as its end has not come.
   *
   *   > {"name": "clock", "arguments": {}}
   *                        ^                 it ends with `", "`, and is `clock`
   */
  name: string | null
  /**
   * `none`: they stood at the very start, where the reference does not see them.
   *
   *   > {"name": "noon", "arguments": {
   *                                   ^   `begun`
   */
  arguments: 'to-come' | 'begun' | 'none'
}

/** A call of which nothing but the tag is there. */
export function newOpenCall(): OpenCall {
  return {
    head: '',
    settled: '',
    last: '',
    spaces: '',
    unread: '',
    start: '',
    readLength: 0,
    seam: '',
    hasNonSpace: false,
    nameStart: null,
    name: null,
    arguments: 'to-come',
  }
}

/** Everything behind the tag. */
export function bodyOf({ head, settled, last, spaces, unread }: OpenCall): string {
  return head + settled + last + spaces + unread
}

/** Looks at what was written since the last time; gives the number of characters that were looked at. */
export function readOn(call: OpenCall): number {
  const text = call.unread
  if (text === '') return 0
  call.unread = ''
  if (call.start.length < MAX_QUOTE) call.start = (call.start + text).slice(0, MAX_QUOTE)
  if (!call.hasNonSpace) call.hasNonSpace = hasNonSpace(text, { start: 0, end: text.length })
  const isSearching = call.name === null || call.arguments === 'to-come'
  const begin = isSearching ? search(call, text) : call.arguments === 'begun' ? 0 : null
  call.readLength += text.length
  if (begin === null) call.head += text
  else {
    call.head += text.slice(0, begin)
    appendArguments(call, text.slice(begin))
  }
  return isSearching ? 3 * (text.length + LONGEST_SEAM) : text.length
}

/** Name and arguments as `extractFn` guesses them from the body with `rest`, which is the beginning of a tag, behind it. */
export function guessCall(call: OpenCall, rest: string): PartialCall {
  const name = call.name ?? ''
  if (call.arguments !== 'begun') return { name, arguments: '' }
  const { settled, last, spaces } = call
  if (rest === '') return { name, arguments: isLong(settled, last) ? settled : '' }
  const front = last === '' ? '' : settled + last + spaces
  return { name, arguments: isLong(front, rest) ? front + rest.slice(0, -1) : '' }
}

/**
 * Looks for the places that are still unknown; gives the offset in `text` where arguments go on, null where none do.
 *
 *   > {"name": "clock", "arguments": {}}
 *                            ^   parted by chunks: the end of the first one is looked at with the second
 */
function search(call: OpenCall, text: string): number | null {
  const probe = call.seam + text
  const at = call.readLength - call.seam.length
  if (call.nameStart === null) {
    const found = probe.indexOf(NAME_START)
    if (found >= 0) call.nameStart = at + found + NAME_START.length
    // As in the reference: a name at the very start is none.
    if (found >= 0 && at + found === 0) call.name = ''
  }
  if (call.nameStart !== null && call.name === null) {
    const found = probe.indexOf(NAME_END, Math.max(0, call.nameStart - at))
    // Happens once in a call; until then nobody looks into the body.
    if (found >= 0) call.name = (bodyOf(call) + text).slice(call.nameStart, at + found)
  }
  const wasBegun = call.arguments === 'begun'
  const found = call.arguments === 'to-come' ? probe.indexOf(ARGUMENTS_START) : -1
  if (found >= 0) call.arguments = at + found === 0 ? 'none' : 'begun'
  call.seam = probe.slice(-LONGEST_SEAM)
  if (call.arguments !== 'begun') return null
  return wasBegun ? 0 : at + found + ARGUMENTS_START.length - call.readLength
}

function appendArguments(call: OpenCall, text: string): void {
  const begin = call.last === '' ? leadingSpaces(text) : 0
  if (begin > 0) call.head += text.slice(0, begin)
  let end = text.length
  while (end > begin && isSpace(text.charCodeAt(end - 1))) end--
  if (end === begin) {
    if (begin === 0) call.spaces += text
    return
  }
  const lastStart = lastCodePoint(text, end)
  if (lastStart === 0 && call.spaces === '' && completesPair(call.last, text)) {
    // The first half of the pair came with the text before.
    call.last += text.slice(0, end)
  } else {
    call.settled += call.last + call.spaces + text.slice(begin, lastStart)
    call.last = text.slice(lastStart, end)
  }
  call.spaces = text.slice(end)
}

function leadingSpaces(text: string): number {
  let at = 0
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

/** Where the code point begins that ends at `end`. */
function lastCodePoint(text: string, end: number): number {
  return end > 1 && completesPair(text.charAt(end - 2), text.charAt(end - 1)) ? end - 2 : end - 1
}

function completesPair(first: string, second: string): boolean {
  return first.length === 1 && (first.charCodeAt(0) & 0xfc00) === 0xd800 && (second.charCodeAt(0) & 0xfc00) === 0xdc00
}

/** As in the reference: two characters are too few to drop one of them. */
function isLong(front: string, end: string): boolean {
  return front.length + end.length > 4 || pyLength(front + end) > 2
}

/** Nothing that is searched for is longer than this and one. */
const LONGEST_SEAM = ARGUMENTS_START.length - 1
