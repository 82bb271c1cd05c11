import { unreachable } from '@callspec/python'
import { finishBody } from './body.ts'
import { addArguments, addKey, addValue, CALL_END, endCall, nameCall, noteCall, tellCall } from './calls.ts'
import type { CompiledExit } from './compile.ts'
import { afterSpace } from './edges.ts'
import { findHead, followHead } from './head.ts'
import { grammarIssue } from './issues.ts'
import { enter, newCall, offsetOf, pass, tell } from './reading.ts'
import type { Reading } from './reading.ts'
import { endStray, take } from './take.ts'
import { endText, endWholeText } from './text.ts'

/** Ends the state at a marker, and goes where it leads. */
export function leave(reading: Reading, at: number, marker: string): true {
  const { state } = reading
  const exit = state.exits.get(marker)
  if (exit === undefined) throw new Error(`callspec: no exit at ${marker}`)
  take(reading, at)
  const found = state.is === 'head' ? findHead(reading, marker) : null
  finishState(reading)
  endCallAt(reading, exit)
  const start = offsetOf(reading)
  if (exit.meaning === 'stop' || endsAtStop(reading, marker))
    tell(reading, grammarIssue('stop-token-left', { start, end: start + marker.length, head: marker }))
  if (exit.opens) reading.call = newCall(start)
  pass(reading, at + marker.length)
  if (reading.call !== null) reading.call.opener = marker
  enter(reading, exit.to)
  reading.entryStart = start
  reading.entryMarker = marker
  reading.marker = marker
  if (found !== null) followHead(reading, found)
  // Once a name is read and no id can follow, the call is certain.
  if ((state.is === 'name' || state.is === 'id') && exit.to.is !== 'id') tellCall(reading)
  return true
}

function endCallAt(reading: Reading, { closes, opens, interrupts, meaning }: CompiledExit): void {
  if (reading.call === null) return
  if (closes) endCall(reading)
  else if (opens || interrupts) interruptCall(reading)
  else if (meaning === 'stop') {
    // A call that a stop token cuts off is none.
    noteCall(reading, reading.call, 'cut')
    reading.call = null
  }
}

/** A call that another one interrupts, or the end of all of them, ends there: what was told of it cannot be taken back. */
function interruptCall(reading: Reading): void {
  const { call, context } = reading
  if (call === null) return
  if (call.isTold && call.members > 0) addArguments(reading, '}')
  else if (call.isTold && context.compiled.hasValues && call.json === '') addArguments(reading, '{}')
  if (call.isTold) tell(reading, CALL_END)
  noteCall(reading, call, 'call-not-closed')
  reading.call = null
}

/** Whether the reply ends behind a stop token to which the state gives a meaning of its own. */
function endsAtStop({ text, at, isEnd, context }: Reading, marker: string): boolean {
  return (
    isEnd && context.compiled.grammar.stops.includes(marker) && afterSpace(text, at + marker.length) === text.length
  )
}

/** What a state has gathered becomes part of the call. */
export function finishState(reading: Reading): void {
  const { gathered, call, state, context } = reading
  if (reading.stray !== null) endStray(reading)
  switch (state.is) {
    case 'name':
      reading.gathered = ''
      return nameCall(reading, gathered)
    case 'id':
      reading.gathered = ''
      if (call !== null) call.id = gathered
      return
    case 'key':
      reading.gathered = ''
      return addKey(reading, context.compiled.grammar.readKey?.(gathered) ?? gathered)
    case 'value':
      reading.gathered = ''
      return addValue(reading, gathered)
    case 'calls':
      return finishBody(reading)
    case 'text':
    case 'reasoning':
      return endText(reading)
    case 'json':
      return endWholeText(reading)
    case 'head':
    case 'nothing':
      return
    default:
      unreachable(state.is)
  }
}
