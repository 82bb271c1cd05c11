import { unreachable } from '@callspec/python'
import { finishBody } from './body.ts'
import { addArguments, addKey, addValue, CALL_END, endCall, nameCall, noteCall, tellCall } from './calls.ts'
import type { CompiledTransition } from './compile.ts'
import { beginRun, endOpenThought, endThought } from './draft.ts'
import { afterSpace } from './edges.ts'
import { findHead, followHead } from './head.ts'
import { grammarIssue } from './issues.ts'
import type { GrammarIssueCode } from './issues.ts'
import { enter, newCall, offsetOf, pass, tell } from './reading.ts'
import type { Reading } from './reading.ts'
import { endStray, take } from './take.ts'
import { endProse, endWholeText } from './text.ts'

/**
 * Ends the state at a marker, and goes where it leads.
 *
 *   > <tool_call>clock<arg_key>zone
 *                     ^               the name is read, and behind the marker a key begins
 */
export function leave(reading: Reading, at: number, marker: string): true {
  const exit = reading.state.transitions.get(marker)
  if (exit === undefined) throw new Error(`callspec: no exit at ${marker}`)
  return leaveBy(reading, exit, { at, marker })
}

/** The same where the exit is known. */
export function leaveBy(reading: Reading, exit: CompiledTransition, { at, marker }: FoundExit): true {
  const { state } = reading
  take(reading, at)
  const found = state.kind === 'head' ? findHead(reading, marker) : null
  if (reading.draft !== null && exit.meaning === 'stop') endOpenThought(reading)
  if (reading.run !== null && state.kind === 'text' && reading.hasText) beginRun(reading, offsetOf(reading))
  finishState(reading)
  endCallAt(reading, exit)
  const start = offsetOf(reading)
  if (exit.meaning === 'stop' || endsAtStop(reading, marker)) noteMarker(reading, 'stop-token-left', { start, marker })
  if (exit.issue !== null) noteMarker(reading, exit.issue, { start, marker })
  if (exit.opens) reading.call = newCall(start)
  pass(reading, at + marker.length)
  if (reading.call !== null) reading.call.opener = marker
  enter(reading, exit.to)
  reading.entryStart = start
  reading.entryMarker = marker
  reading.marker = marker
  if (found !== null) followHead(reading, found)
  // Once a name is read and no id can follow, the call is certain.
  if ((state.kind === 'name' || state.kind === 'id') && exit.to.kind !== 'id') tellCall(reading)
  return true
}

function noteMarker(
  reading: Reading,
  code: GrammarIssueCode,
  { start, marker }: { readonly start: number; readonly marker: string },
): void {
  tell(reading, grammarIssue(code, { start, end: start + marker.length, head: marker }))
}

/** A marker, and where it stands. */
export interface FoundExit {
  readonly at: number
  readonly marker: string
}

/**
 * What a marker means for the call that is open.
 *
 *   > <tool_call><function=f></function>
 *                            ^             closes it
 *   > [TOOL_CALLS]f[ARGS]{"a": 1, [TOOL_CALLS]g
 *                                 ^               opens another one: this one ends as it is
 *   > <tool_call><function=f><|im_end|>
 *                            ^            a stop token cuts it off: it is none
 */
function endCallAt(reading: Reading, { closes, opens, interrupts, meaning }: CompiledTransition): void {
  if (reading.call === null) return
  if (closes) endCall(reading)
  else if (opens || interrupts) interruptCall(reading)
  else if (meaning === 'stop') {
    noteCall(reading, reading.call, 'cut')
    reading.call = null
  }
}

/**
 * A call that another one interrupts, or the end of all of them, ends there: what was told of it cannot be taken back.
 *
 *   > <|tool_call>call:f{a:1<tool_call|>
 *                           ^              a map of the values that have come
 */
function interruptCall(reading: Reading): void {
  const { call, context } = reading
  if (call === null) return
  if (call.isTold && call.members > 0) addArguments(reading, '}')
  else if (call.isTold && context.compiled.hasValues && call.json === '') addArguments(reading, '{}')
  if (call.isTold) tell(reading, CALL_END)
  noteCall(reading, call, 'call-not-closed')
  reading.call = null
}

/**
 * Whether the reply ends behind a stop token to which the state gives a meaning of its own.
 *
 *   > to=functions.f<|message|>{}<|call|>
 *                                ^          it ends the call; that it was left in the reply is noted
 */
function endsAtStop({ text, at, isEnd, context }: Reading, marker: string): boolean {
  return (
    isEnd && context.compiled.grammar.stops.includes(marker) && afterSpace(text, at + marker.length) === text.length
  )
}

/** What a state has gathered becomes part of the call. */
export function finishState(reading: Reading): void {
  const { gathered, call, state, context } = reading
  if (reading.stray !== null) endStray(reading)
  switch (state.kind) {
    // > <function=get_weather>
    //                        ^   taken apart, where the format says how
    case 'name':
      reading.gathered = ''
      return nameCall(reading, gathered)
    // > [CALL_ID]abc123def[ARGS]
    //                     ^
    case 'id':
      reading.gathered = ''
      if (call !== null) call.id = gathered
      return
    // > <arg_key>city</arg_key>
    //                ^            its value is to come
    case 'key':
      reading.gathered = ''
      return addKey(reading, context.compiled.grammar.readKey?.(gathered) ?? gathered)
    // > <parameter=city>Oslo</parameter>
    //                       ^              typed by the schema, where the format does so
    case 'value':
      reading.gathered = ''
      return addValue(reading, gathered)
    // > <|START_ACTION|>[{"tool_name": "f"<|END_ACTION|>
    //                                     ^                not whole, or its last bracket had ended it
    case 'calls':
      return finishBody(reading)
    // > Let me look. <tool_call>
    //                ^             the blank may be part of it
    case 'text':
      return endProse(reading)
    case 'reasoning':
      return endThought(reading)
    // > <|message|> <|call|>
    //               ^          white space alone stands for no arguments
    case 'json':
      return endWholeText(reading)
    // > <|channel|>final<|message|>
    //                   ^             `findHead` has read it
    case 'head':
    case 'nothing':
      return
    default:
      unreachable(state.kind)
  }
}
