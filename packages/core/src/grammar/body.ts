import { noteCall, tellBodyCall } from './calls.ts'
import type { CompiledState } from './compile.ts'
import { afterSpace } from './edges.ts'
import { grammarIssue } from './issues.ts'
import type { BodyCall, Grammar } from './grammar.ts'
import { followJson } from './json-watch.ts'
import { enter, QUOTED_MOST } from './reading.ts'
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

/** What ends a body besides its last bracket. */
export interface BodyEnds {
  /** Tokens that may stand behind the last bracket of a body that must be the last thing of a reply. */
  readonly stops: readonly string[]
  readonly isEnd: boolean
}

/** Follows the body from where the search goes on. Sets the phase. */
export function followBody(reading: Reading, state: CompiledState, ends: BodyEnds): FollowedBody {
  if (reading.phase === 'before') {
    const first = findBegin(reading, state, ends)
    if (first !== null) return first
    reading.phase = 'inside'
  }
  if (reading.phase === 'behind') return findRest(reading, ends)
  const { state: given } = state
  const markers = given.otherwise === undefined ? state.markers : NO_MARKERS
  const { held, look, watch } = reading
  const json = followJson(watch, held, look, { markers, isBracketed: true, isEnd: ends.isEnd, isOnlyJson: true })
  const { at, marker } = json
  if (marker !== null) return { kind: 'marker', at, marker }
  if (json.isBroken === true) return { kind: 'none', at }
  if (!json.isWhole) return { kind: 'open', at }
  if (given.isLast !== true) return { kind: 'whole', at }
  reading.phase = 'behind'
  reading.look = at
  return findRest(reading, ends)
}

const NO_MARKERS: readonly string[] = []

/**
 * Null where the bracket stands at which the body begins.
 *
 *   > functools  [
 *              ^    white space is passed over
 *   > functools for
 *               ^   this is no body
 */
function findBegin(reading: Reading, { state, markers }: CompiledState, { isEnd }: BodyEnds): FollowedBody | null {
  const { held } = reading
  const at = afterSpace(held, reading.look)
  if (at === held.length) return { kind: 'open', at }
  reading.look = at
  const marker = state.otherwise === undefined ? markers.find((each) => held.startsWith(each, at)) : undefined
  if (marker !== undefined) return { kind: 'marker', at, marker }
  // A marker may begin with the bracket too: then what follows tells.
  const rest = held.slice(at, at + LONGEST_MARKER)
  if (state.otherwise === undefined && !isEnd && markers.some((each) => each !== rest && each.startsWith(rest)))
    return { kind: 'open', at }
  return held[at] === state.begins ? null : { kind: 'none', at }
}

/** No marker is longer. */
const LONGEST_MARKER = 64

/**
 * A body that must be the last thing of the reply is whole when the reply has ended, or at a stop.
 *
 *   > {"name": "f", "parameters": {}} Done
 *                                     ^    no body, but text
 */
function findRest(reading: Reading, { stops, isEnd }: BodyEnds): FollowedBody {
  const { held } = reading
  const at = afterSpace(held, reading.look)
  reading.look = at
  if (at === held.length) return { kind: isEnd ? 'whole' : 'open', at }
  if (stops.some((each) => held.startsWith(each, at))) return { kind: 'whole', at }
  const rest = held.slice(at, at + LONGEST_MARKER)
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
export function becomeText(reading: Reading, state: CompiledState): boolean {
  const { gathered, marker } = reading
  reading.held = gathered + reading.held
  reading.offset -= gathered.length
  reading.gathered = ''
  reading.call = null
  enter(reading, state.state.otherwise ?? state.name)
  if (marker === '' || state.state.isToken === true) return true
  reading.hasText = true
  reading.events.push({ kind: 'text', text: marker })
  return true
}

/** Says, of a JSON body that becomes text, whether calls were meant; and that a marker before it means nothing. */
export function noteTextBody(reading: Reading, isNamed: boolean): void {
  const { gathered, marker, offset, call } = reading
  const start = offset - gathered.length - marker.length
  // Without a marker before it, what names a call may be anything.
  if (isNamed && call !== null) noteCall(reading, call, 'calls-not-readable')
  else if (isNamed)
    reading.events.push(grammarIssue('call-in-text', { start, end: offset, head: gathered.slice(0, QUOTED_MOST) }))
  if (marker !== '')
    reading.events.push(grammarIssue('marker-in-text', { start, end: start + marker.length, head: marker }))
}

/** JSON that was still open when the reply ended may have been calls: the first of it is said to be cut. */
export function noteUnfinished(reading: Reading): void {
  const { gathered, held, marker, offset } = reading
  const start = offset - gathered.length - marker.length
  reading.unfinished ??= { start, head: (marker + gathered + held).slice(0, QUOTED_MOST) }
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
export function readBody(reading: Reading, state: CompiledState, { readCalls }: Grammar): BodyVerdict {
  const { gathered, call, entry } = reading
  const calls = readCalls?.(gathered) ?? null
  if (state.state.otherwise !== undefined) {
    if (calls === null) return 'none'
    if (!calls.every(isWhole)) return calls.some(({ name }) => name !== '') ? 'named' : 'none'
  }
  const place = call ?? { anchor: entry }
  reading.gathered = ''
  reading.call = null
  if (calls === null) noteCall(reading, place, 'body-not-readable')
  else if (calls.length === 0) noteCall(reading, place, 'calls-empty')
  for (const each of calls ?? NO_CALLS) tellBodyCall(reading, each, place)
  return 'told'
}

function isWhole({ name, arguments: given }: BodyCall): boolean {
  return name !== '' && given.startsWith('{')
}

const NO_CALLS: readonly BodyCall[] = []

/** A JSON body that a marker ends is none: its last bracket would have ended it. */
export function finishBody(
  reading: Reading,
  { state, gathered, grammar }: { readonly state: CompiledState; readonly gathered: string; readonly grammar: Grammar },
): void {
  if (state.state.python !== undefined) return
  if (state.state.begins === undefined) {
    reading.gathered = gathered
    readBody(reading, state, grammar)
    return
  }
  noteCall(reading, reading.call ?? { anchor: reading.entry }, 'body-not-readable')
  reading.call = null
}
