import { unreachable } from '@callspec/python'
import { becomeText, finishBody, followBody, noteTextBody, noteUnfinished, readBody } from './body.ts'
import { addArguments, addKey, addValue, endCall, kindOfJson, nameCall, noteCall, tellCall } from './calls.ts'
import type { CallContext } from './calls.ts'
import { AFTER_STOP } from './compile.ts'
import type { CompiledExit, CompiledGrammar, CompiledState } from './compile.ts'
import { afterSpace, beforeSpace } from './edges.ts'
import { endHead, findHead, followHead } from './head.ts'
import { grammarIssue } from './issues.ts'
import { followJson } from './json-watch.ts'
import { followPythonBody, isCutInside, noteOpen, noteUnread } from './python-body.ts'
import { followQuoted } from './quoted-value.ts'
import { enter, feed, newCall, QUOTED_MOST } from './reading.ts'
import type { Reading } from './reading.ts'
import { endText, endWholeText, takeJson, takeText } from './text.ts'

/** What a step needs to know. */
export interface StepContext extends CallContext {
  /** Whether no more text comes. */
  readonly isEnd: boolean
  /** Is told how many characters were looked at. */
  readonly examined: (characters: number) => void
}

/**
 * Reads on in the present state as far as what has come allows.
 *
 * @returns whether the state was left: then there may be more to read
 */
export function step(reading: Reading, context: StepContext): boolean {
  const state = stateOf(reading, context)
  switch (state.is) {
    case 'nothing':
      return state.state.otherwise === undefined ? search(reading, state, context) : begin(reading, state, context)
    case 'json':
      return state.state.isRaw === true ? search(reading, state, context) : followValue(reading, state, context)
    case 'calls':
      if (state.state.python !== undefined) return followPythonCalls(reading, state, context)
      return state.state.begins === undefined || reading.phase === 'unreadable'
        ? search(reading, state, context)
        : followCalls(reading, state, context)
    case 'text':
    case 'reasoning':
    case 'head':
    case 'name':
    case 'id':
    case 'key':
      return search(reading, state, context)
    case 'value':
      return state.state.quote === undefined ? search(reading, state, context) : followValue(reading, state, context)
    default:
      return unreachable(state.is)
  }
}

/**
 * What is to be said when the reply has ended and nothing more can be read: the last text, and what was left open.
 *
 *   > [TOOL_CALLS]f[ARGS]{"a": 1
 *                               ^   the call is none
 */
export function endReply(reading: Reading, context: StepContext): void {
  const state = stateOf(reading, context)
  if (state.is === 'calls' && (state.state.begins === undefined || reading.phase === 'unreadable'))
    finishState(reading, state, context)
  else if (state.is === 'text' || state.is === 'reasoning') endText(reading, state)
  endStray(reading, state)
  if (state.is === 'head') return endHead(reading, state, context.compiled.grammar)
  if (isWhole(reading, state)) {
    endWholeText(reading, state)
    return endCall(reading, context.compiled)
  }
  const { call, entry, offset, events, unfinished } = reading
  if (unfinished !== null) events.push(grammarIssue('cut', { ...unfinished, end: offset }))
  if (call !== null) noteCall(reading, call, 'cut')
  else if (state.is === 'reasoning' || state.state.isOpen === true || IN_CALL.has(state.is))
    events.push(grammarIssue('cut', { start: entry.start, end: offset, head: entry.head }))
  else if (state.state.isOpen === 'perhaps')
    events.push(grammarIssue('calls-not-closed', { start: entry.start, end: offset, head: entry.head }))
  reading.call = null
}

/**
 * Arguments that need no bracket, where no marker ends them, or are a text of their own: they are whole when the reply is.
 *
 *   > [TOOL_CALLS]f[ARGS]null
 *                           ^
 *   > to=functions.f<|message|>{}
 *                                ^   the stop token is seldom shown
 */
function isWhole({ call, watch }: Reading, { is, state }: CompiledState): boolean {
  if (is !== 'json' || call === null) return false
  if (state.isWholeText === true) return kindOfJson(call.json) !== 'none'
  return state.next !== undefined && watch.depth === 0 && !watch.isInString && kindOfJson(call.json) !== 'none'
}

/** Kinds of states that stand inside calls, of which one may be read without a call that was opened. */
const IN_CALL: ReadonlySet<CompiledState['is']> = new Set<CompiledState['is']>(['name', 'id', 'key', 'value', 'json'])

function stateOf({ state }: Reading, { compiled }: StepContext): CompiledState {
  const found = compiled.states.get(state)
  if (found === undefined) throw new Error(`callspec: a grammar led to "${state}", no state of it`)
  return found
}

/**
 * A state in which nothing but a marker may stand, or else another state begins.
 *
 *   > |  <think>Hm
 *      ^             white space is passed over, then it is decided
 */
function begin(reading: Reading, state: CompiledState, context: StepContext): boolean {
  passSpace(reading, context)
  const { held } = reading
  const marker = state.markers.find((each) => held.startsWith(each))
  if (marker !== undefined) return leave(reading, { state, at: 0, marker, context })
  const isUndecided = held === '' || state.markers.some((each) => each.startsWith(held))
  if (held === '' || (isUndecided && !context.isEnd)) return false
  const { space } = reading
  enter(reading, state.state.otherwise ?? state.name)
  if (stateOf(reading, context).is === 'calls') reading.gathered = space
  else reading.space = space
  return true
}

/** White space may be the beginning of what is read instead: it is kept apart, so that a long run of it is passed once. */
function passSpace(reading: Reading, context: StepContext): void {
  const { held } = reading
  const at = afterSpace(held)
  context.examined(at + 1)
  reading.space += held.slice(0, at)
  consume(reading, at)
}

/**
 * Takes text up to the next marker of the state.
 *
 *   > The time is <tool_c
 *                 ^         may become a marker: held until more comes
 */
function search(reading: Reading, state: CompiledState, context: StepContext): boolean {
  for (;;) {
    const { held, look } = reading
    const { at, marker } = state.scanner.find(held, look)
    context.examined(at - look + 1)
    if (marker === null) {
      const safe = context.isEnd ? held.length : wholePairs(held, at)
      take(reading, state, safe)
      return false
    }
    if (state.exits.get(marker)?.meaning === 'stray') {
      takeStrayMarker(reading, { state, at, marker, context })
      continue
    }
    const standing = stands(reading, { state, at, marker, context })
    if (standing === 'no' && state.is === 'text') {
      takeStrayMarker(reading, { state, at, marker, context })
      reading.passed = 0
      continue
    }
    if (standing === 'no') {
      reading.look = at + 1
      reading.passed = 0
      continue
    }
    if (standing === 'undecided') {
      reading.look = at
      take(reading, state, at)
      return false
    }
    return leave(reading, { state, at, marker, context })
  }
}

/** A marker that means nothing where it stands is text, and noted. */
function takeStrayMarker(reading: Reading, { state, at, marker }: Found): void {
  take(reading, state, at)
  const start = reading.offset
  take(reading, state, marker.length)
  reading.events.push(grammarIssue('marker-in-text', { start, end: start + marker.length, head: marker }))
}

/** A marker that was found in a state. */
interface Found {
  readonly state: CompiledState
  /** Where in the held text. */
  readonly at: number
  readonly marker: string
  readonly context: StepContext
}

/**
 * Whether a marker counts. One that ends a value counts only where the grammar can go on behind it, and so do others that
 * name what has to follow them.
 *
 *   > a </parameter> b
 *                    ^                   no: this is text
 *   > UTC</parameter>   <par
 *                           ^            nobody knows yet
 *   > UTC</parameter>\n</function>
 *                      ^                 yes
 */
function stands(reading: Reading, { state, at, marker, context }: Found): 'yes' | 'no' | 'undecided' {
  const followers = state.exits.get(marker)?.followers ?? null
  if (followers === null) return 'yes'
  const { held } = reading
  const from = Math.max(at + marker.length, reading.passed)
  const behind = afterSpace(held, from)
  context.examined(behind - from + 1)
  reading.passed = behind
  if (followers.some((each) => held.startsWith(each, behind))) return 'yes'
  if (behind === held.length) return context.isEnd ? 'yes' : 'undecided'
  if (held.length - behind >= longestOf(followers)) return 'no'
  const rest = held.slice(behind)
  if (!followers.some((each) => each.startsWith(rest))) return 'no'
  return context.isEnd ? 'yes' : 'undecided'
}

function longestOf(markers: readonly string[]): number {
  return markers.reduce((longest, marker) => Math.max(longest, marker.length), 0)
}

/**
 * Follows a value with strings and brackets to its end, JSON or of the format's own: a marker inside a string is text.
 *
 *   > {"q": "[TOOL_CALLS]"}[TOOL_CALLS]
 *            ^                            inside a string
 */
function followValue(reading: Reading, state: CompiledState, context: StepContext): boolean {
  const { held, look, watch } = reading
  const { isEnd } = context
  const ends = { markers: state.markers, isBracketed: state.state.next !== undefined, isEnd }
  const { quote } = state.state
  const { at, marker, isWhole } =
    quote === undefined ? followJson(watch, held, look, ends) : followQuoted(watch, held, look, { ...ends, quote })
  context.examined(at - look + 1)
  if (isWhole) return endValue(reading, state, { at, context })
  if (marker !== null) return leave(reading, { state, at, marker, context })
  reading.look = at
  take(reading, state, isEnd ? at : wholePairs(held, at))
  return false
}

/** The value is whole: what follows is read in the next state. */
function endValue(
  reading: Reading,
  state: CompiledState,
  { at, context }: { readonly at: number; readonly context: StepContext },
): boolean {
  take(reading, state, at)
  endCall(reading, context.compiled)
  enter(reading, state.state.next ?? state.name)
  return true
}

/**
 * Follows a JSON body of calls to its end.
 *
 *   > functools[{"name": "f", "arguments": {}}] Done.
 *                                              ^      the calls are told, and the reply goes on
 *   > functools[0] is odd
 *                 ^       no calls: all of it is text
 */
function followCalls(reading: Reading, state: CompiledState, context: StepContext): boolean {
  const { isEnd, compiled } = context
  const { look } = reading
  const followed = followBody(reading, state, { stops: compiled.grammar.stops, isEnd })
  context.examined(followed.at - look + 1)
  switch (followed.kind) {
    case 'open':
      reading.look = followed.at
      if (isEnd && state.state.otherwise !== undefined) {
        if (reading.phase === 'inside') noteUnfinished(reading)
        noteTextBody(reading, false)
        return becomeText(reading, state)
      }
      take(reading, state, isEnd ? followed.at : wholePairs(reading.held, followed.at))
      return false
    case 'none':
      if (state.state.otherwise !== undefined) {
        noteTextBody(reading, false)
        return becomeText(reading, state)
      }
      take(reading, state, followed.at)
      reading.phase = 'unreadable'
      return true
    case 'marker':
      reading.phase = 'unreadable'
      return leave(reading, { state, at: followed.at, marker: followed.marker, context })
    case 'whole': {
      take(reading, state, followed.at)
      const verdict = readBody(reading, state, compiled.grammar)
      if (verdict === 'told') enter(reading, state.state.next ?? state.name)
      else {
        noteTextBody(reading, verdict === 'named')
        becomeText(reading, state)
      }
      return true
    }
    default:
      return unreachable(followed)
  }
}

/**
 * Follows a body of Python calls to its end, which is a marker or the end of the reply.
 *
 *   > <|tool_call_start|>[f(a="]<|tool_call_end|>")]<|tool_call_end|>
 *                                                   ^                   outside of strings
 *   > [1] is
 *      ^      no call: all of it is text
 */
function followPythonCalls(reading: Reading, state: CompiledState, context: StepContext): boolean {
  const { isEnd, compiled } = context
  const { look } = reading
  const followed = followPythonBody(reading, state, { stops: compiled.grammar.stops, isEnd })
  context.examined(followed.at - look + 1)
  const { at } = followed
  if (followed.kind === 'open' && (!isEnd || isCutInside(reading, state))) {
    reading.look = at
    take(reading, state, isEnd ? at : wholePairs(reading.held, at))
    return false
  }
  if (followed.kind === 'none' || followed.kind === 'open') {
    if (followed.kind === 'open') noteOpen(reading, state)
    else noteUnread(reading, state, reading.offset + at)
    return becomeText(reading, state)
  }
  take(reading, state, at)
  if (readBody(reading, state, compiled.grammar) !== 'told') {
    noteUnread(reading, state, reading.offset)
    return becomeText(reading, state)
  }
  if (followed.kind === 'marker') return leave(reading, { state, at: 0, marker: followed.marker, context })
  enter(reading, state.state.next ?? state.name)
  return true
}

/** Ends the state at a marker, and goes where it leads. */
function leave(reading: Reading, { state, at, marker, context }: Found): boolean {
  const exit = state.exits.get(marker)
  if (exit === undefined) throw new Error(`callspec: no exit at ${marker}`)
  take(reading, state, at)
  const found = findHead(reading, state, { state: state.name, marker }, context.compiled.grammar)
  finishState(reading, state, context)
  if (exit.closes) endCall(reading, context.compiled)
  else if (exit.opens || exit.interrupts) interruptCall(reading, context.compiled)
  else if (exit.meaning === 'stop') dropCall(reading)
  if (exit.meaning === 'stop' || endsAtStop(reading, marker, context)) noteStop(reading, marker)
  if (exit.opens) reading.call = newCall(reading.offset)
  const entry = { start: reading.offset, head: marker }
  consume(reading, marker.length)
  if (reading.call !== null) reading.call.opener = marker
  enter(reading, exit.to)
  reading.entry = entry
  reading.marker = marker
  if (found !== null) followHead(reading, found)
  settleName(reading, state, exit, context)
  return true
}

/** Whether the reply ends behind a stop token to which the state gives a meaning of its own. */
function endsAtStop({ held }: Reading, marker: string, { compiled, isEnd }: StepContext): boolean {
  return isEnd && compiled.grammar.stops.includes(marker) && afterSpace(held, marker.length) === held.length
}

/** Once a name is read and no id can follow, the call is certain. */
function settleName(reading: Reading, state: CompiledState, exit: CompiledExit, { compiled }: StepContext): void {
  if (state.is !== 'name' && state.is !== 'id') return
  if (compiled.states.get(exit.to)?.is !== 'id') tellCall(reading)
}

/** A call that another one interrupts, or the end of all of them, ends there: what was told of it cannot be taken back. */
function interruptCall(reading: Reading, { hasValues }: CompiledGrammar): void {
  const { call } = reading
  if (call === null) return
  if (call.isTold && call.members > 0) addArguments(reading, '}')
  else if (call.isTold && hasValues && call.json === '') addArguments(reading, '{}')
  if (call.isTold) reading.events.push({ kind: 'call-end' })
  noteCall(reading, call, 'call-not-closed')
  reading.call = null
}

/** A call that a stop token cuts off is none. */
function dropCall(reading: Reading): void {
  if (reading.call !== null) noteCall(reading, reading.call, 'cut')
  reading.call = null
}

function noteStop(reading: Reading, marker: string): void {
  const start = reading.offset
  reading.events.push(grammarIssue('stop-token-left', { start, end: start + marker.length, head: marker }))
}

/** What a state has gathered becomes part of the call. */
function finishState(reading: Reading, state: CompiledState, context: StepContext): void {
  const { gathered, call } = reading
  reading.gathered = ''
  endStray(reading, state)
  switch (state.is) {
    case 'name':
      nameCall(reading, gathered, context.compiled)
      return
    case 'id':
      if (call !== null) call.id = gathered
      return
    case 'key':
      addKey(reading, context.compiled.grammar.readKey?.(gathered) ?? gathered)
      return
    case 'value':
      addValue(reading, gathered, context)
      return
    case 'calls':
      finishBody(reading, { state, gathered, grammar: context.compiled.grammar })
      return
    case 'text':
    case 'reasoning':
      endText(reading, state)
      return
    case 'json':
      endWholeText(reading, state)
      return
    case 'head':
    case 'nothing':
      return
    default:
      unreachable(state.is)
  }
}

function endStray(reading: Reading, { name }: CompiledState): void {
  const { stray } = reading
  if (stray === null) return
  const { anchor, end } = stray
  const code = name === AFTER_STOP ? 'text-after-stop' : 'text-dropped'
  reading.events.push(grammarIssue(code, { start: anchor.start, end, head: anchor.head.slice(0, end - anchor.start) }))
  reading.stray = null
}

/** Takes the first `count` characters of what is held as text of the state. */
function take(reading: Reading, state: CompiledState, count: number): void {
  if (count === 0) return
  const text = reading.held.slice(0, count)
  switch (state.is) {
    case 'text':
    case 'reasoning':
      takeText(reading, state, text)
      break
    case 'json':
      takeJson(reading, state, text)
      break
    case 'nothing':
      takeStray(reading, text)
      break
    case 'head':
    case 'name':
    case 'id':
    case 'key':
    case 'value':
      reading.gathered += text
      break
    case 'calls':
      if (reading.phase !== 'unreadable') reading.gathered += text
      break
    default:
      unreachable(state.is)
  }
  consume(reading, count)
}

function takeStray(reading: Reading, text: string): void {
  const start = afterSpace(text)
  if (start === text.length) {
    if (reading.stray !== null) feed(reading.stray.anchor, text)
    return
  }
  reading.stray ??= { anchor: { start: reading.offset + start, head: '' }, end: 0 }
  feed(reading.stray.anchor, reading.stray.end === 0 ? text.slice(start) : text)
  reading.stray.end = reading.offset + beforeSpace(text)
}

/** Passes over the first `count` characters of what is held. */
function consume(reading: Reading, count: number): void {
  if (count === 0) return
  const { held, call } = reading
  if (call !== null) feed(call.anchor, held.slice(0, Math.min(count, QUOTED_MOST)))
  reading.held = held.slice(count)
  reading.offset += count
  reading.look = Math.max(0, reading.look - count)
  reading.passed = Math.max(0, reading.passed - count)
}

/** The place before half a surrogate pair at `end`: the rest of it may come. */
function wholePairs(text: string, end: number): number {
  return end > 0 && end === text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end
}
