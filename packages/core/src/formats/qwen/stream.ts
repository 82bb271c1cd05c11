import type { Settled } from '../../format.ts'
import { Raise } from '@callspec/python'
import type { PlainText } from '../../stream/plain-text.ts'
import type { ReaderContext, ReadReply, ReplyReader } from '../../stream/reply-stream.ts'
import { choiceName, replyMessages } from '../reply.ts'
import { callStart, colonLength, isForced, qwenPostprocessFncallMessages, stopWordRaise } from './parse.ts'
import {
  addToCall,
  beginArguments,
  finishedCall,
  functionAt,
  furtherCallAt,
  issueOf,
  removedMark,
} from './stream-call.ts'
import type { OpenCall } from './stream-call.ts'
import { addToPart, cleanedText, NOTHING_SETTLES, partAt, plainIn, trimmedArguments } from './stream-part.ts'
import type { ArgumentsPart, PartText } from './stream-part.ts'
import { newPlace, placeAhead } from './stream-place.ts'
import type { Place, Reading } from './stream-place.ts'
import { isBeginning, markerAt } from './stream-marker.ts'
import { ARGS, ARGS_COLON, FLOWER, FUNCTION_COLON } from './tokens.ts'

/**
 * Reads a reply in steps. The text is parted at its flowers: what begins with one is a marker or text, or an end that may
 * become a marker and is held until that is known. Everything else goes to the part in which it stands (the text before
 * the calls, a name, arguments), and a part knows what it is if the text ends with it.
 */
export function qwenReader(context: ReaderContext): ReplyReader {
  const reading = readingOf(context)
  const place = newPlace(reading)
  return {
    take: (text) => {
      take(place, text, reading)
    },
    read: (rest) => {
      if (place.colon === null && place.held + rest === '') return readNothing(context)
      const ahead = placeAhead(place)
      if (rest !== '') take(ahead, rest, reading)
      return readingAt(place, ahead, reading)
    },
    settled: () => settledOf(place),
    settledMessages: (from) => place.messages.slice(from),
    plainText: () => plainText(place),
  }
}

/** A piece of the window that begins with a flower. */
interface Flower {
  readonly window: string
  readonly at: number
  /** Its offset into the reply. */
  readonly position: number
  /** The marker that stands there; null where the flower is text. */
  readonly marker: string | null
}

function readingOf({ profile, options, examined }: ReaderContext): Reading {
  const choice = choiceName(options)
  return {
    parallelCalls: options.parallelCalls === true || !profile.dropsFurtherCalls,
    checksArguments: options.rawArguments !== true,
    start: isForced(choice) ? callStart(ARGS, choice) : '',
    examined,
  }
}

function take(place: Place, text: string, reading: Reading): void {
  const window = place.held + text
  place.held = window
  // The space behind a colon may be still to come.
  if (place.colon === null && window === ':') return
  scan(place, reading, false)
}

/** What the reply says if it ends at the place ahead. Uses that one up. */
function readingAt(place: Place, ahead: Place, reading: Reading): ReadReply {
  if (ahead.held !== '') scan(ahead, reading, true)
  if (ahead.stopWord !== null) return { messages: [], issues: [ahead.stopWord], raise: stopWordRaise() }
  endPart(ahead, ahead.at)
  const ofLead = place.ofLead.concat(ahead.ofLead)
  const issues = ofLead.concat(place.ofEmpty, ahead.ofEmpty, place.ofCalls, ahead.ofCalls)
  return { messages: place.messages.concat(ahead.messages), issues, raise: null }
}

/** What the reference makes of an empty reply: nothing, or a raise. */
function readNothing({ profile, options }: ReaderContext): ReadReply {
  const nothing = { messages: [], issues: [] }
  try {
    const request = { messages: replyMessages('', profile), functionChoice: choiceName(options), profile }
    qwenPostprocessFncallMessages(request)
    return { ...nothing, raise: null }
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    return { ...nothing, raise: error }
  }
}

/** Reads what is held, up to an end that may become a marker, or all of it. */
function scan(place: Place, reading: Reading, isEnd: boolean): void {
  if (place.colon === null) removeColon(place)
  const { held: window, at: base } = place
  reading.examined(window.length)
  place.held = ''
  let at = 0
  while (at < window.length && place.stopWord === null) {
    const flower = window.indexOf(FLOWER, at)
    const end = flower < 0 ? window.length : flower
    if (end > at) addText(place, { text: window.slice(at, end), at: base + at, isFlower: false }, reading)
    at = end
    if (flower < 0) break
    const marker = markerAt(window, at)
    if (marker === null && !isEnd && isBeginning(window, at)) {
      place.held = window.slice(at)
      break
    }
    at += readFlower(place, { window, at, position: base + at, marker }, reading)
  }
  place.at = base + at
}

function removeColon(place: Place): void {
  const colon = colonLength(place.held)
  place.colon = colon
  if (colon === 0) return
  const head = place.held.slice(0, colon)
  place.ofLead.push(issueOf('marker-removed', { start: 0, end: colon, head }))
  place.at = colon
  place.held = place.held.slice(colon)
  place.opening = null
}

/** Gives the number of characters read. */
function readFlower(place: Place, flower: Flower, reading: Reading): number {
  const { window, at, position, marker } = flower
  if (place.opening !== null && window.startsWith(ARGS, at)) beginForcedCall(place, reading)
  if (marker === FUNCTION_COLON) {
    place.opening = null
    endPart(place, position)
    place.call = functionAt(position, place.calls > 0 && !reading.parallelCalls)
    return marker.length
  }
  if (marker === ARGS_COLON && place.call !== null) {
    readArgumentsMarker(place, place.call, position, reading)
    return marker.length
  }
  if (marker !== null && marker !== ARGS_COLON) {
    place.stopWord = issueOf('stop-word-in-text', { start: position, end: position + marker.length, head: marker })
    return marker.length
  }
  // An ARGS marker before the first FUNCTION marker is text.
  const next = window.indexOf(FLOWER, at + (marker ?? FLOWER).length)
  const text = window.slice(at, next < 0 ? window.length : next)
  addText(place, { text, at: position, isFlower: true }, reading)
  return text.length
}

function readArgumentsMarker(place: Place, call: OpenCall, position: number, reading: Reading): void {
  const { checksArguments, parallelCalls } = reading
  if (call.args === null) {
    beginArguments(call, position, checksArguments)
    return
  }
  endPart(place, position)
  place.call = furtherCallAt(position, call, { isDropped: !parallelCalls, checksArguments })
}

/** as in the reference: the line that the prompt ended with is put before the reply, and the reply is read from there. */
function beginForcedCall(place: Place, reading: Reading): void {
  const { opening, held, at } = place
  place.opening = null
  place.lead = partAt(0)
  place.held = reading.start
  place.at = -reading.start.length
  scan(place, reading, true)
  addText(place, { text: opening ?? '', at: 0, isFlower: false }, reading)
  place.held = held
  place.at = at
}

function addText(place: Place, added: PartText, { examined }: Reading): void {
  const { call, lead, opening } = place
  if (call !== null) {
    examined(addToCall(call, added))
    return
  }
  examined(addToPart(lead, added, isNewline))
  if (opening !== null) place.opening = lead.trimmed === '' ? opening + added.text : null
}

/** Takes down what the lead or the open call comes to if it ends at a position. */
function endPart(place: Place, position: number): void {
  const { lead, call } = place
  if (call === null) {
    const content = cleanedText(lead)
    if (content !== '') place.messages.push({ role: 'assistant', content })
    place.ofLead.push(...removedMark(lead))
    return
  }
  if (call.args === null && position === call.start + FUNCTION_COLON.length) {
    place.ofEmpty.push(issueOf('call-without-name', { start: call.start, end: position, head: FUNCTION_COLON }))
    return
  }
  const { message, issues } = finishedCall(call)
  if (message !== null) place.messages.push(message)
  place.ofCalls.push(...issues)
  place.calls++
}

function settledOf({ call, lead, messages }: Place): Settled {
  if (call === null)
    return { messages: 0, characters: cleanedText(lead).length, open: { kind: 'text', start: lead.start } }
  const args = settlingArguments(call)
  if (args === null) return { messages: messages.length, characters: 0 }
  return {
    messages: messages.length,
    characters: trimmedArguments(args).text.length,
    open: { kind: 'arguments', name: call.read?.text ?? '', start: args.start },
  }
}

/** The arguments that settle before the call ends. A forced call begins before the reply, and what is dropped is not told. */
function settlingArguments({ isDropped, args, read }: OpenCall): ArgumentsPart | null {
  return isDropped || args === null || read === null || args.start < 0 ? null : args
}

function plainText({ call, lead, held, colon, opening, stopWord }: Place): PlainText | null {
  if (held !== '' || colon === null || opening !== null || stopWord !== null) return null
  if (call === null) return plainIn(lead)
  const args = settlingArguments(call)
  return args === null || args.rest !== null ? NOTHING_SETTLES : plainIn(args)
}

function isNewline(unit: number): boolean {
  return unit === 0x0a
}
