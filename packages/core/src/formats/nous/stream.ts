import type { Settled } from '../../format.ts'
import type { Profile } from '../../profile.ts'
import { Raise } from '@callspec/python'
import { markerScanner } from '../../stream/marker-scanner.ts'
import type { PlainText } from '../../stream/plain-text.ts'
import type { ReaderContext, ReadReply, ReplyReader } from '../../stream/reply-stream.ts'
import { quotingIssue } from '../issue.ts'
import { choiceName } from '../reply.ts'
import { hasNonSpace } from '../span.ts'
import { addText, beginCall, copyOf, endCall, endRegion, newRegion, textMessage } from './region.ts'
import type { CallReading, Region } from './region.ts'
import { THINK_CLOSE, THINK_OPEN, TOOL_CALL_CLOSE, TOOL_CALL_OPEN } from './tokens.ts'

/** Whether the calls of a version can be read in steps; v0.0.16 and older guess at unclosed calls in other ways. */
export function isStreamable({ nousPartialCall, nousPartialName, nousKeepsTextAfterCall }: Profile): boolean {
  return (
    nousPartialCall === 'drop-one-character' && nousPartialName === 'separator-or-nothing' && !nousKeepsTextAfterCall
  )
}

/** Reads a reply of a version that `isStreamable`, in steps. */
export function nousReader(context: ReaderContext): ReplyReader {
  if (choiceName(context.options) !== 'auto') return refusingReader()
  const { profile, options, examined } = context
  const reading: CallReading = { profile, codeMode: profile.nousCodeMode && options.codeMode === true, examined }
  const isThinking = profile.nousThoughtInContent && options.thoughtInContent === true
  const place: Place = {
    region: isThinking ? null : newRegion(''),
    isThinking,
    thoughtEnd: null,
    hasNonSpaceBehind: false,
    before: '',
    held: '',
  }
  return {
    take: (text) => {
      take(place, text, reading)
    },
    read: (rest) => {
      if (rest === '') return readingOf(place, reading)
      const ahead = { ...place, region: place.region === null ? null : copyOf(place.region) }
      take(ahead, rest, reading)
      return readingOf(ahead, reading)
    },
    settled: () => settledOf(place, profile),
    settledMessages: (from) => place.region?.messages.slice(from) ?? [],
    plainText: () => plainText(place),
  }
}

/**
 * How far a reply has been read.
 *
 * The place from which on calls are looked for only moves forward: once a reply is known to think, every `</think>` moves
 * it behind itself, and what was found before is a thought. One thing goes back, once in a reply: a first `<think>` behind
 * a `</think>` that had been taken for text.
 */
interface Place {
  /**
   * Where calls are looked for; null inside a thought that has not ended.
   *
   *   > <think>Shall I <tool_call>
   *                               ^   null: no call begins in a thought
   *   > <think>Well.</think>Let me
   *                               ^   a region that begins behind the thought
   */
  region: Region | null
  isThinking: boolean
  /** Where the last thought ends; null as long as no `</think>` has come. */
  thoughtEnd: number | null
  /** Whether more than white space stands between there and the first call; else that text vanishes should it be a thought. */
  hasNonSpaceBehind: boolean
  /** Everything that was read. It grows at its end only, and nobody looks into it: then growing does not copy. */
  before: string
  /**
   * The end of what was taken, where it may be the beginning of a tag.
   *
   *   > Let me look.<tool_
   *                       ^   six characters are held
   */
  held: string
}

/**
 * Reads up to the last tag of what has come, and holds what may be the beginning of another one.
 *
 *   > Let me look.<tool_call>{"name": "a"}</tool_call><tool_
 *                 ^                       ^           ^   at each tag, and at the end where six characters are held
 */
function take(place: Place, text: string, reading: CallReading): void {
  const scanner = place.isThinking || reading.profile.nousDetectsThink ? ALL_TAGS : CALL_TAGS
  const window: Window = { text: place.held + text, added: 0, at: 0, end: 0 }
  for (;;) {
    const from = window.end
    const { at, marker } = scanner.find(window.text, from)
    reading.examined(2 * (at - from) + TOOL_CALL_CLOSE.length)
    window.at = at
    window.end = at + (marker ?? '').length
    if (marker === null) break
    if (marker === THINK_OPEN) openThought(place, window, reading)
    else if (marker === THINK_CLOSE) closeThought(place, window)
    else passCallTag(place, window, { marker, reading })
  }
  addToRegion(place, window)
  place.before += window.text.slice(0, window.at)
  place.held = window.text.slice(window.at)
}

/** A piece of the reply that is being looked through; it follows `Place.before`. */
interface Window {
  text: string
  /** Up to here the text is in the region. */
  added: number
  /** Where the tag stands that was found last. */
  at: number
  end: number
}

/**
 *   > <think>
 *            ^   the first one: nothing is a call before it ends
 *   > Well.</think>Let me look.<think>
 *                                     ^   a first one behind an end: that end was one of a thought, and what follows is read anew
 */
function openThought(place: Place, window: Window, { examined }: CallReading): void {
  if (place.isThinking) return
  place.isThinking = true
  const { thoughtEnd } = place
  if (thoughtEnd === null) {
    place.region = null
    return
  }
  const whole = place.before + window.text
  examined(whole.length)
  place.before = whole.slice(0, thoughtEnd)
  place.region = newRegion(place.before)
  window.text = whole.slice(thoughtEnd)
  window.added = 0
  window.end = 0
}

/**
 *   > <think>Well.</think>
 *                         ^   calls are looked for from here on
 *   > Well.</think>
 *                  ^   of a thought that nobody opened: text, unless a <think> comes
 */
function closeThought(place: Place, window: Window): void {
  const { text, end } = window
  place.thoughtEnd = place.before.length + end
  place.hasNonSpaceBehind = false
  if (!place.isThinking) return
  place.region = newRegion(place.before + text.slice(0, end))
  window.added = end
}

/**
 *   > Let me look.<tool_call>
 *                            ^   a call begins
 *   > Let me look.</tool_call>
 *                             ^   ends nothing: text
 */
function passCallTag(
  place: Place,
  window: Window,
  { marker, reading }: { readonly marker: string; readonly reading: CallReading },
): void {
  const { region, before } = place
  if (region === null || (marker === TOOL_CALL_CLOSE && region.piece.kind !== 'call')) return
  addToRegion(place, window)
  const { text, at, end } = window
  const tag = before.length + at
  if (marker === TOOL_CALL_CLOSE) endCall(region, tag, reading)
  else beginCall(region, tag, { before: region.piece.kind === 'text' ? before + text.slice(0, at) : '', reading })
  window.added = end
}

/**
 * Gives the region the text between the last tag and this one.
 *
 *   > <think>Hm.</think>Let me look.<tool_call>
 *                                   ^             the region that began behind the thought has it
 */
function addToRegion(place: Place, { text, added, at }: Window): void {
  const { region, before, thoughtEnd, hasNonSpaceBehind } = place
  if (region === null || at <= added) return
  if (region.piece.kind === 'text' && thoughtEnd !== null && !hasNonSpaceBehind) {
    place.hasNonSpaceBehind = hasNonSpace(text, { start: Math.max(added, thoughtEnd - before.length), end: at })
  }
  addText(region, text.slice(added, at), before.length + added)
}

/**
 * What the reply says if it ends here.
 *
 *   > <think>Shall I <tool_call>
 *                               ^   one text: in a thought nothing is a call
 *   > <tool_call>{"name": "noon", "arguments": {
 *                                               ^   a call whose name and arguments are guessed
 */
function readingOf({ region, before, held }: Place, reading: CallReading): ReadReply {
  const { profile } = reading
  if (region === null || region.piece.kind === 'text') {
    const text = before + held
    // As in replyMessages: without text there is no item that a thought could be kept in, in some versions.
    const isKept = text !== '' || (region === null && profile.wire === 'plain' && keepsEmptyText(profile))
    return { messages: isKept ? [textMessage(text, profile)] : [], issues: [], raise: null }
  }
  const { messages, issues, piece } = region
  const more: Region = { ...region, messages: [], issues: [] }
  endRegion(more, { end: before.length + held.length, rest: held, reading })
  return {
    messages: messages.concat(more.messages),
    issues: issues.concat(more.issues),
    raise: piece.kind === 'raised' ? piece.raise : null,
  }
}

function keepsEmptyText({ emptyTextBecomes }: Profile): boolean {
  return emptyTextBecomes === 'one-empty-item'
}

/** The first text is the reply up to the first call; no later text is settled before it is whole. */
const AS_IT_STANDS = { kind: 'text', start: 0 } as const

/**
 * Text stays where it is before the first call, apart from white space that vanishes with a call behind it. Calls stay
 * only where no thought can begin or end any more.
 *
 *   > Let me look.
 *                 ^   all of it stays
 *   > \n\n
 *         ^   nothing does: before a call there is no such text
 *   > <tool_call>{"name": "noon", "arguments": {}}</tool_call>
 *                                                             ^   stays in versions that look for no thoughts: elsewhere it may come to stand in one
 */
function settledOf(place: Place, { nousDetectsThink }: Profile): Settled {
  const { region, isThinking, before, held } = place
  if (region === null) return { messages: 0, characters: before.length + held.length, open: AS_IT_STANDS }
  const { piece, messages, kept, thought } = region
  if (piece.kind === 'text') {
    const characters = piece.hasNonSpace ? staying(place, before) : thought.length
    return { messages: 0, characters, open: AS_IT_STANDS }
  }
  if (!isThinking && !nousDetectsThink)
    return { messages: messages.length, characters: (kept ?? '').length, open: AS_IT_STANDS }
  const first = messages[0]
  const text = first === undefined ? (kept ?? '') : first.function_call === undefined ? first.content : ''
  return { messages: 0, characters: staying(place, text), open: AS_IT_STANDS }
}

/**
 * Without a tag a text goes on, and so does a call, of which nothing settles before its end.
 *
 *   > Let me look. It is
 *                 ^        text, up to the next `<`
 *   > <tool_call>{"name": "a"
 *                         ^     nothing of it settles
 */
function plainText({ region, isThinking, thoughtEnd, hasNonSpaceBehind, held }: Place): PlainText | null {
  if (held !== '') return null
  if (region === null) return TEXT_GOES_ON
  if (region.piece.kind !== 'text') return CALL_GOES_ON
  const isStaying = isThinking || thoughtEnd === null || hasNonSpaceBehind
  return region.piece.hasNonSpace && isStaying ? TEXT_GOES_ON : null
}

const isBrokenBy = (text: string): boolean => text.includes('<')
const TEXT_GOES_ON: PlainText = { isBrokenBy, settles: 'all', space: 0 }
const CALL_GOES_ON: PlainText = { isBrokenBy, settles: 'nothing', space: 0 }

/**
 * How much of the first text stays. Where a thought may still begin behind a `</think>`, white space between that one and
 * a call will have to go.
 *
 *   > Well.</think> \n
 *                  ^     up to the tag
 */
function staying({ isThinking, thoughtEnd, hasNonSpaceBehind }: Place, text: string): number {
  return isThinking || thoughtEnd === null || hasNonSpaceBehind ? text.length : Math.min(text.length, thoughtEnd)
}

/** The format cannot force a tool: the reference raises before it looks at the reply. */
function refusingReader(): ReplyReader {
  const issue = quotingIssue('nous', 'choice-not-supported', { span: { start: 0, end: 0 }, head: '' })
  return {
    take: () => undefined,
    read: () => ({ messages: [], issues: [issue], raise: new Raise('NotImplementedError', '') }),
    settled: () => ({ messages: 0, characters: 0 }),
    settledMessages: () => [],
    plainText: () => null,
  }
}

const CALL_TAGS = markerScanner([TOOL_CALL_OPEN, TOOL_CALL_CLOSE])
const ALL_TAGS = markerScanner([TOOL_CALL_OPEN, TOOL_CALL_CLOSE, THINK_OPEN, THINK_CLOSE])
