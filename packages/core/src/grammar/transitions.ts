import { afterSpace, unreachable } from '@callspec/python'
import {
  endBody,
  takeBody,
  addCallIssue,
  addKey,
  addValue,
  emitCall,
  endCall,
  endFreeArguments,
  interruptCall,
  nameCall,
  newCall,
  takeArguments,
} from './calls.ts'
import type { CompiledState, CompiledTransition } from './compile.ts'
import type { ReadHead } from './grammar.ts'
import { grammarIssue, shortText } from './issues.ts'
import { addIssue, addIssueAtMarker, emit, enter, offsetOf, pass, QUOTED_MOST, rewind, stateNamed } from './reading.ts'
import type { Reading } from './reading.ts'
import {
  beginRun,
  endDropped,
  endOpenThought,
  endText,
  endThought,
  takeDropped,
  takeText,
  takeThought,
} from './text.ts'

/** Takes the text up to `end` as what the present state says it is. */
export function take(reading: Reading, end: number): void {
  const { input, state, asEnded } = reading
  const { text, at } = input
  if (end === at) return
  switch (state.kind) {
    // > Let me look.<tool_call>
    //               ^             emitted
    case 'text':
      takeText(reading, end)
      break
    // > <think>Maybe <tool_call>
    //                           ^   may turn out to be a call, if the thought is never closed
    case 'reasoning':
      takeThought(reading, end)
      break
    // > [ARGS]{"a": 1}
    //                ^   emitted, too
    case 'json':
      takeArguments(reading, end)
      break
    // > <tool_call>Sure!<function=f>
    //                   ^              does not belong here
    case 'nothing':
      takeDropped(reading, end)
      break
    // > <function=get_weather>
    //                    ^       means nothing before its end
    case 'head':
    case 'name':
    case 'id':
    case 'key':
      reading.collected += text.slice(at, end)
      break
    // > <parameter=k>v</function></tool_call>
    //                                        ^   snapshots go on with the call that ends here
    case 'value': {
      const taken = text.slice(at, end)
      reading.collected += taken
      if (asEnded !== null) asEnded.input.text += taken
      break
    }
    // > functools[{"name": "f", "arguments": {}}]
    //                           ^                   read once all of it has come
    case 'calls':
      return takeBody(reading, end)
    default:
      unreachable(state.kind)
  }
  pass(reading, end)
}

/** A marker, and where in the input it is. */
export interface FoundTransition {
  readonly at: number
  readonly marker: string
}

/**
 * Ends the state at a marker, and goes where the marker leads.
 *
 *   > <tool_call>clock<arg_key>zone
 *                     ^               the name is read, and after the marker a key begins
 */
export function leave(reading: Reading, { at, marker }: FoundTransition): true {
  return follow(reading, transitionAt(reading.state, marker), { at, marker })
}

/** What a marker that was found in a state does. */
export function transitionAt({ transitions }: CompiledState, marker: string): CompiledTransition {
  const transition = transitions.get(marker)
  if (transition === undefined) throw new Error(`callspec: no transition at ${marker}`)
  return transition
}

export function follow(reading: Reading, transition: CompiledTransition, { at, marker }: FoundTransition): true {
  const { state, prose } = reading
  const { meaning, to, issue } = transition
  take(reading, at)
  const found = state.kind === 'head' ? findHead(reading, marker) : null
  if (prose.calls !== null && meaning === 'stop') endOpenThought(reading)
  if (prose.run !== null && state.kind === 'text' && prose.hasText) beginRun(reading, offsetOf(reading))
  const space = state.isTrimmed && prose.hasText ? prose.space : ''
  finishState(reading)
  endCallAt(reading, transition)
  const start = offsetOf(reading)
  if (meaning === 'stop' || isLastStop(reading, marker)) addIssueAtMarker(reading, 'stop-token-left', { start, marker })
  if (issue !== null) addIssueAtMarker(reading, issue, { start, marker })
  if (transition.opens) reading.call = newCall(start)
  pass(reading, at + marker.length)
  if (reading.call !== null) reading.call.opener = marker
  enter(reading, to)
  if (to.kind === 'name') prose.space = space
  reading.entry.start = start
  reading.entry.marker = marker
  reading.marker = marker
  if (found !== null) followHead(reading, found)
  // Once a name is read and no id can follow, the call is certain.
  if ((state.kind === 'name' || state.kind === 'id') && to.kind !== 'id') emitCall(reading)
  return true
}

/**
 * What a marker means for the open call.
 *
 *   > <tool_call><function=f></function>
 *                            ^             closes it
 *   > [TOOL_CALLS]f[ARGS]{"a": 1, [TOOL_CALLS]g
 *                                 ^               opens another one: this one ends as it is
 *   > <tool_call><function=f><|im_end|>
 *                            ^            a stop token cuts it: it is dropped
 */
function endCallAt(reading: Reading, { closes, opens, interrupts, meaning }: CompiledTransition): void {
  if (reading.call === null) return
  if (closes) endCall(reading)
  else if (opens || interrupts) interruptCall(reading)
  else if (meaning === 'stop') {
    addCallIssue(reading, reading.call, 'cut')
    reading.call = null
  }
}

/**
 * Whether the reply ends after a stop token that is a marker of the state.
 *
 *   > to=functions.f<|message|>{}<|call|>
 *                                ^          it ends the call; that it was left in the reply is reported
 */
function isLastStop({ input, context }: Reading, marker: string): boolean {
  const { text, at, isEnd } = input
  const { stops } = context.compiled.grammar
  return isEnd && stops.includes(marker) && afterSpace(text, at + marker.length) === text.length
}

/** What a state has collected becomes part of the reply. */
export function finishState(reading: Reading): void {
  const { collected, call, state, context } = reading
  if (reading.dropped !== null) endDropped(reading)
  switch (state.kind) {
    // > <function=get_weather>
    //                        ^   split, if the format says how
    case 'name':
      reading.collected = ''
      return nameCall(reading, collected)
    // > [CALL_ID]abc123def[ARGS]
    //                     ^
    case 'id':
      reading.collected = ''
      if (call !== null) call.id = collected
      return
    // > <arg_key>city</arg_key>
    //                ^            its value follows
    case 'key':
      reading.collected = ''
      return addKey(reading, context.compiled.grammar.readKey?.(collected) ?? collected)
    // > <parameter=city>Oslo</parameter>
    //                       ^              typed by the schema, if the format does so
    case 'value':
      reading.collected = ''
      return addValue(reading, collected)
    // > <|START_ACTION|>[{"tool_name": "f"<|END_ACTION|>
    //                                     ^                not whole, else its last bracket would have ended it
    case 'calls':
      return endBody(reading)
    // > Let me look. <tool_call>
    //                ^             the blank may be part of the text
    case 'text':
      return endText(reading)
    case 'reasoning':
      return endThought(reading)
    // > <|message|> <|call|>
    //               ^          white space alone means no arguments
    case 'json':
      return endFreeArguments(reading)
    // > <|channel|>final<|message|>
    //                   ^             `findHead` has read it
    case 'head':
    case 'nothing':
      return
    default:
      unreachable(state.kind)
  }
}

/**
 * Ends a value that the reply never closes, where the end of its call is: the tags of a call are text in a value only while the
 * value goes on.
 *
 *   > <parameter=city>\nOslo\n</function>\n</tool_call>
 *                              ^                          the value ends here, and the rest of the call is read
 */
export function closeValueAtCallEnd(reading: Reading): void {
  const { call, state, collected, value } = reading
  const { callEnd } = value
  const closing = [...state.transitions.values()].find(({ meaning }) => meaning === 'marker')
  if (callEnd === null || closing === undefined) return
  const [closer = ''] = state.markers
  const length = collected.length - (offsetOf(reading) - callEnd)
  rewind(reading, callEnd, collected)
  reading.collected = collected.slice(0, length)
  value.isNeverClosed = true
  const key = shortText(call?.key ?? '')
  finishState(reading)
  if (call !== null) addCallIssue(reading, call, 'value-not-closed', `Missing: ${closer} after ${key}.`)
  enter(reading, closing.to)
}

/** A head that was read, its text, and where it begins in the reply. */
interface FoundHead {
  readonly head: ReadHead
  readonly written: string
  readonly start: number
}

/**
 * Reads the head that the present state has collected. It ended with a marker, or with the reply (`marker` is empty); null if
 * more text could have completed it.
 *
 *   > <|channel|>commentary to=functions.f<|message|>
 *                                         ^            a call of f begins
 */
function findHead(reading: Reading, marker: string): FoundHead | null {
  const { collected } = reading
  reading.collected = ''
  const head = readHead(reading, collected, marker)
  return head === null ? null : { head, written: collected + marker, start: offsetOf(reading) - collected.length }
}

/** A reply has few heads, and most of them several times: calls of one tool have the same. */
function readHead({ state, context }: Reading, text: string, marker: string): ReadHead | null {
  const { heads } = context
  for (const seen of heads)
    if (seen.text === text && seen.marker === marker && seen.state === state.name) return seen.head
  const head = context.compiled.grammar.readHead?.(text, { state: state.name, marker }) ?? null
  if (text.length > LONG_HEAD) return head
  if (heads.length === MANY_HEADS) heads.pop()
  heads.unshift({ text, marker, state: state.name, head })
  return head
}

/** So many are kept, and none that is longer: a hostile reply has others each time. */
const MANY_HEADS = 8
const LONG_HEAD = 200

/**
 * Goes on after a head, which may begin a call, or be text because it cannot be read.
 *
 *   > to=functions.f<|message|>{}
 *                              ^    the call is emitted before its arguments
 *   > <|channel|>final to=f x y<|message|>Hm.
 *                                         ^   a word too many: the words are text, and so is what follows
 */
function followHead(reading: Reading, { head, written, start }: FoundHead): void {
  enter(reading, stateNamed(reading.context.compiled.states, head.to))
  if (head.issue !== undefined)
    emit(reading, grammarIssue(head.issue, { start, end: start + written.length, head: written }))
  for (const text of head.texts ?? [])
    if (afterSpace(text) < text.length) emit(reading, { kind: 'text', text, begins: true })
  reading.prose.channel = head.channel ?? null
  if (head.call === undefined) return
  const call = newCall(start)
  call.anchor.head = written.slice(0, QUOTED_MOST)
  call.name = head.call.name
  call.isFree = head.call.isFree === true
  reading.call = call
  emitCall(reading)
}

/**
 * Ends a head in which the reply ends.
 *
 *   > <|end|><|start|>assistant<|channel|>comm
 *                                             ^   neither a call nor text
 */
export function endHead(reading: Reading): void {
  const { entry, collected } = reading
  const found = findHead(reading, '')
  if (found !== null) return followHead(reading, found)
  addIssue(reading, { start: entry.start, head: entry.marker + collected }, 'cut')
}
