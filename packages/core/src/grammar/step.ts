import { unreachable } from '@callspec/python'
import { endCall, noteCall, notePlace } from './calls.ts'
import { kindOfJson } from './json-scan.ts'
import type { JsonKind } from './json-scan.ts'
import type { CompiledState } from './compile.ts'
import { endOpenThought } from './draft.ts'
import { followCalls, followPythonCalls, followValue } from './follow.ts'
import { endHead } from './head.ts'
import { grammarIssue } from './issues.ts'
import { finishState } from './leave.ts'
import { offsetOf, tell } from './reading.ts'
import type { Reading } from './reading.ts'
import { begin, search } from './search.ts'
import { endStray } from './take.ts'
import { endProse, endWholeText } from './text.ts'

/**
 * Reads on in the present state as far as what has come allows.
 *
 * @returns whether the state was left: then there may be more to read
 */
function step(reading: Reading): boolean {
  const { scan } = reading.state
  switch (scan) {
    case 'marker':
      return search(reading)
    case 'value':
      return followValue(reading)
    case 'first':
      return begin(reading)
    case 'json-body':
      return reading.phase === 'unreadable' ? search(reading) : followCalls(reading)
    case 'python-body':
      return followPythonCalls(reading)
    default:
      return unreachable(scan)
  }
}

/** Reads as far as what has come allows. */
export function readOn(reading: Reading): void {
  while (step(reading)) {
    // Each step that says so has left its state, and leaving a state passes over a marker or enters one that does.
  }
}

/**
 * What is to be said when the reply has ended and nothing more can be read: the last text, and what was left open.
 *
 *   > [TOOL_CALLS]f[ARGS]{"a": 1
 *                               ^   the call is none
 */
export function endReply(reading: Reading): void {
  const { state } = reading
  const { kind: stateKind, scan } = state
  if (stateKind === 'calls' && (scan !== 'json-body' || reading.phase === 'unreadable')) finishState(reading)
  else if (stateKind === 'text') endProse(reading)
  const isCalled = stateKind === 'reasoning' && endOpenThought(reading)
  endStray(reading)
  if (stateKind === 'head') return endHead(reading)
  const kind = kindOfWhole(reading)
  if (kind !== 'none') {
    endWholeText(reading)
    return endCall(reading, kind)
  }
  const { call, unfinished, form } = reading
  // Nothing in a plain text says whether it is complete: the call stays, and the issue says that it is no JSON.
  if (form === 'plain' && call !== null && call.json !== '') return endCall(reading, kind)
  const end = offsetOf(reading)
  if (unfinished !== null) tell(reading, grammarIssue('cut', { ...unfinished, end }))
  if (call !== null) noteCall(reading, call, 'cut')
  else if (!isCalled) noteOpenState(reading)
  reading.call = null
}

/**
 * Of a state that says so, or is part of a call or a thought: the reply was cut in it.
 *
 *   > <think>Hm.
 *               ^   the thought has no end
 *   > <tool_call>{"name": "f", "arguments": {}}
 *                                              ^   perhaps: the closing tag may be the stop word of a server
 */
function noteOpenState(reading: Reading): void {
  const { state, entryStart: start, entryMarker: head } = reading
  const { mayBeTruncated } = state
  if (state.kind === 'reasoning' || mayBeTruncated === true || IN_CALL.has(state.kind))
    notePlace(reading, { start, head }, 'cut')
  else if (mayBeTruncated === 'maybe') notePlace(reading, { start, head }, 'calls-not-closed')
}

/**
 * What arguments are as JSON that need no bracket, where no marker ends them, or are a text of their own: they are whole
 * when the reply is.
 *
 *   > [TOOL_CALLS]f[ARGS]null
 *                           ^
 *   > to=functions.f<|message|>{}
 *                                ^   the stop token is seldom shown
 */
function kindOfWhole({ call, watch, state }: Reading): JsonKind {
  if (state.kind !== 'json' || call === null) return 'none'
  const mayEnd = state.isWholeText || (state.next !== null && watch.depth === 0 && !watch.isInString)
  return mayEnd ? kindOfJson(call.json) : 'none'
}

/** Kinds of states that stand inside calls, of which one may be read without a call that was opened. */
const IN_CALL: ReadonlySet<CompiledState['kind']> = new Set<CompiledState['kind']>([
  'name',
  'id',
  'key',
  'value',
  'json',
])
