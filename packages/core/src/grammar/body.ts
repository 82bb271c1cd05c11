import { noteCall, noteHere, tellBodyCall } from './calls.ts'
import { afterSpace } from './edges.ts'
import { grammarIssue } from './issues.ts'
import type { BodyCall } from './grammar.ts'
import { followJson } from './json-watch.ts'
import { enter, offsetOf, QUOTED_MOST, tell } from './reading.ts'
import type { Reading } from './reading.ts'

/**
 * How far a JSON body of calls goes in what has come.
 *
 * - `open`: more may come of it
 * - `whole`: it has ended
 * - `none`: no body can come of it
 * - `marker`: a marker stands where it would go on
 */
export type FollowedBody =
  | { readonly kind: 'open' | 'whole' | 'none'; readonly at: number }
  | { readonly kind: 'marker'; readonly at: number; readonly marker: string }

/**
 * Follows the body from where the search goes on. Sets the phase.
 *
 *   > functools [{"name": "f", "arguments": {}}]
 *               ^              ^                ^   before it, inside, and whole
 */
export function followBody(reading: Reading): FollowedBody {
  if (reading.phase === 'before') {
    const first = findBegin(reading)
    if (first !== null) return first
    reading.phase = 'inside'
    const end = findCalls(reading)
    if (end !== null) return behindBody(reading, end)
  }
  if (reading.phase === 'behind') return findRest(reading)
  const { text, look, watch, isEnd } = reading
  const { units } = reading.state
  const { at, marker, isWhole, isBroken } = followJson(watch, text, look, { units, isBracketed: true, isEnd })
  if (marker !== null) return { kind: 'marker', at, marker }
  if (isBroken) return { kind: 'none', at }
  return isWhole ? behindBody(reading, at) : { kind: 'open', at }
}

/**
 * Where the body ends that begins here, if it holds calls and all of it has come: then it is read once, and not followed.
 *
 *   > functools[{"name": "f", "arguments": {}}] Done.
 *              ^                               ^       from here to there
 */
function findCalls(reading: Reading): number | null {
  const { text, look, state, context } = reading
  const found = state.units.endJson ? context.compiled.grammar.readCalls?.at?.(text, look) : undefined
  if (found === undefined) return null
  reading.found = found.calls
  if (found.calls !== null) return found.end
  context.examined(found.end - look + 1)
  return null
}

function behindBody(reading: Reading, at: number): FollowedBody {
  if (!reading.state.mustEndReply) return { kind: 'whole', at }
  reading.phase = 'behind'
  reading.look = at
  return findRest(reading)
}

/**
 * Null where the bracket stands at which the body begins.
 *
 *   > functools  [
 *              ^    white space is passed over
 *   > functools for
 *               ^   this is no body
 */
function findBegin(reading: Reading): FollowedBody | null {
  const { text, isEnd } = reading
  const { fallback, markers, bodyStart } = reading.state
  const at = afterSpace(text, reading.look)
  if (at === text.length) return { kind: 'open', at }
  reading.look = at
  const marker = fallback === null ? markers.find((each) => text.startsWith(each, at)) : undefined
  if (marker !== undefined) return { kind: 'marker', at, marker }
  // A marker may begin with the bracket too: then what follows tells.
  const rest = text.slice(at, at + LONGEST_MARKER)
  if (fallback === null && !isEnd && markers.some((each) => each !== rest && each.startsWith(rest)))
    return { kind: 'open', at }
  return text[at] === bodyStart ? null : { kind: 'none', at }
}

/** No marker is longer. */
const LONGEST_MARKER = 64

/**
 * A body that must be the last thing of the reply is whole when the reply has ended, or at a stop.
 *
 *   > {"name": "f", "parameters": {}} Done
 *                                     ^    no body, but text
 */
function findRest(reading: Reading): FollowedBody {
  const { text, isEnd, context } = reading
  const { stops } = context.compiled.grammar
  const at = afterSpace(text, reading.look)
  reading.look = at
  if (at === text.length) return { kind: isEnd ? 'whole' : 'open', at }
  if (stops.some((each) => text.startsWith(each, at))) return { kind: 'whole', at }
  const rest = text.slice(at, at + LONGEST_MARKER)
  return { kind: !isEnd && stops.some((each) => each.startsWith(rest)) ? 'open' : 'none', at }
}

/**
 * A body that holds no calls is text, and so is the marker before it. It is read again, for a marker may stand in it: that
 * stays linear, as a marker outside of strings ends a body, and the quote that would begin a string in an inner body ends
 * the one around it.
 *
 *   > Use functools[x] or functools[{"name": "f", "arguments": {}}]
 *                   ^                                               from here on
 */
export function becomeText(reading: Reading): true {
  const { marker, state, asText, isEnd } = reading
  if (isEnd && asText !== null) return goOnAsText(reading, asText)
  readAgain(reading)
  reading.call = null
  enter(reading, state.fallback ?? state)
  if (marker === '' || state.isToken) return true
  reading.hasText = true
  tell(reading, { kind: 'text', text: marker })
  return true
}

/** The same in a snapshot, where those before it have read on as if the reply ended. */
export function goOnAsText(reading: Reading, asText: Reading): true {
  const { text, at, events, unfinished } = reading
  const all = [...(events ?? []), ...(asText.events ?? [])]
  Object.assign(reading, asText, { text: asText.text + text.slice(at), isEnd: true, events: all, unfinished })
  return true
}

/**
 * Goes back to where what was gathered begins.
 *
 *   > Use functools[x] or
 *                  ^        behind the marker, which is told as text
 */
function readAgain(reading: Reading): void {
  const { gathered, text, at } = reading
  const { length } = gathered
  if (length > at) {
    // A push before this one has let go of it.
    reading.text = gathered + text.slice(at)
    reading.base += at - length
    reading.at = 0
  } else reading.at = at - length
  reading.gathered = ''
}

/** Says, of a JSON body that becomes text, whether calls were meant; and that a marker before it means nothing. */
export function noteTextBody(reading: Reading, isNamed: boolean): void {
  const { gathered, marker, call } = reading
  const end = offsetOf(reading)
  const start = end - gathered.length - marker.length
  // Without a marker before it, what names a call may be anything.
  if (isNamed && call !== null) noteCall(reading, call, 'calls-not-readable')
  else if (isNamed) tell(reading, grammarIssue('call-in-text', { start, end, head: gathered.slice(0, QUOTED_MOST) }))
  if (marker !== '') tell(reading, grammarIssue('marker-in-text', { start, end: start + marker.length, head: marker }))
}

/** JSON that was still open when the reply ended may have been calls: the first of it is said to be cut. */
export function noteUnfinished(reading: Reading): void {
  const { gathered, text, at, marker } = reading
  const start = offsetOf(reading) - gathered.length - marker.length
  const head = marker + gathered.slice(0, QUOTED_MOST) + text.slice(at, at + QUOTED_MOST)
  reading.unfinished ??= { start, head: head.slice(0, QUOTED_MOST) }
}

/**
 * What became of a body.
 *
 * - `told`: its calls were told, or what is wrong with it was said
 * - `named`: it is text, though it names a call
 * - `none`: it is text
 */
export type BodyVerdict = 'told' | 'named' | 'none'

/** Reads a body. One that may be text holds calls only if each has a name and an object of arguments. */
export function readBody(reading: Reading): BodyVerdict {
  const { gathered, call, state, context, found } = reading
  const calls = found ?? context.compiled.grammar.readCalls?.(gathered) ?? null
  if (state.fallback !== null) {
    if (calls === null) return 'none'
    if (!calls.every(isWhole)) return calls.some(({ name }) => name !== '') ? 'named' : 'none'
  }
  reading.gathered = ''
  reading.call = null
  if (calls === null) noteHere(reading, call, 'body-not-readable')
  else if (calls.length === 0) noteHere(reading, call, 'calls-empty')
  for (const each of calls ?? NO_CALLS) tellBodyCall(reading, each, call)
  return 'told'
}

function isWhole({ name, arguments: given }: BodyCall): boolean {
  return name !== '' && given.startsWith('{')
}

const NO_CALLS: readonly BodyCall[] = []

/** A JSON body that a marker ends is none: its last bracket would have ended it. */
export function finishBody(reading: Reading): void {
  const { state, call } = reading
  if (state.scan === 'marker') readBody(reading)
  else if (state.scan === 'json-body') {
    noteHere(reading, call, 'body-not-readable')
    reading.call = null
  }
  reading.gathered = ''
}
