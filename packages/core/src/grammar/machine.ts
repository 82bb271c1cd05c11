import { afterSpace, passJson, unreachable, wholePairs } from '@callspec/python'
import { standsAt } from './marker-scanner.ts'
import { addUnfinished, continueFallback, fallBackToText, readJsonBody, readPythonBody } from './bodies.ts'
import type { BodyStep } from './bodies.ts'
import { endCall } from './calls.ts'
import type { CompiledTransition } from './compile.ts'
import { followJson, followQuoted } from './follow.ts'
import type { Followed } from './follow.ts'
import { addIssueAtMarker, enter, offsetOf, pass } from './reading.ts'
import type { OpenCall, Reading } from './reading.ts'
import { passFence, passLateMarker } from './text.ts'
import { closeValueAtCallEnd, follow, leave, take, transitionAt } from './transitions.ts'

/** Reads as far as the text that has arrived allows. */
export function readOn(reading: Reading): void {
  while (step(reading)) {
    // Each step that returns true has left its state, passing over a marker or entering a state that does.
  }
}

/**
 * Reads on in the present state.
 *
 * @returns whether the state was left: then there may be more to read
 */
function step(reading: Reading): boolean {
  const { scan } = reading.state
  switch (scan) {
    case 'marker':
      return findMarker(reading)
    case 'first':
      return findFirst(reading)
    case 'value':
      return followValue(reading)
    case 'json-body':
      return reading.body.phase === 'unreadable' ? findMarker(reading) : goOn(reading, readJsonBody(reading))
    case 'python-body':
      return goOn(reading, readPythonBody(reading))
    default:
      return unreachable(scan)
  }
}

function goOn(reading: Reading, result: BodyStep): boolean {
  if (result === 'entered') return true
  const { at, marker } = result
  return marker === null ? wait(reading, at) : leave(reading, { at, marker })
}

/**
 * Takes what was followed up to `at`, and goes on with the next chunk.
 *
 *   > {"q": "see [TOOL
 *                     ^   inside a string this is not half a marker: all of it is taken
 */
function wait(reading: Reading, at: number): false {
  const { input } = reading
  input.look = at
  take(reading, input.isEnd ? at : wholePairs(input.text, at))
  return false
}

/**
 * A state in which a marker must come first, or else its fallback is entered.
 *
 *   > |  <think>Hm
 *      ^             white space is passed over, then it is decided
 */
function findFirst(reading: Reading): boolean {
  const { input, state, prose } = reading
  const at = passSpace(reading)
  const { text, isEnd } = input
  const marker = state.markers.find((each) => standsAt(text, each, at))
  if (marker !== undefined) return leave(reading, { at, marker })
  if (at === text.length) return false
  if ((!isEnd || state.isToken) && state.markers.some((each) => isCutOff(text, at, each))) {
    // > <|STAR
    //         ^   no text, if a reply ends here
    if (isEnd) take(reading, text.length)
    return false
  }
  const { space } = prose
  enter(reading, state.fallback ?? state)
  if (reading.state.kind === 'calls' || reading.state.kind === 'value') reading.collected = space
  else prose.space = space
  return true
}

/**
 * White space may be the beginning of what the fallback reads: it is kept, so that a long run of it is passed once.
 *
 *   > \n\n  Noon.
 *           ^       four characters: part of the text, if no marker follows
 */
function passSpace(reading: Reading): number {
  const { text, at: from } = reading.input
  const at = afterSpace(text, from)
  reading.context.examined(at - from + 1)
  if (at > from) reading.prose.space += text.slice(from, at)
  pass(reading, at)
  return at
}

/**
 * Whether the text ends with the beginning of a marker that begins at `at`.
 *
 *   > <|channel>tho
 *               ^     may become `thought` and a line feed
 */
function isCutOff(text: string, at: number, marker: string): boolean {
  return text.length - at < marker.length && marker.startsWith(text.slice(at))
}

/**
 * Takes text up to the next marker of the state.
 *
 *   > The time is <tool_c
 *                 ^         may become a marker: waits until more comes
 */
function findMarker(reading: Reading): boolean {
  const { input, state, context, value } = reading
  const { text, isEnd } = input
  for (;;) {
    const { look } = input
    const { at, marker } = state.scanner.find(text, look)
    context.examined(at - look + 1)
    if (marker === null) {
      take(reading, isEnd ? text.length : wholePairs(text, at))
      if (isEnd && state.kind === 'name' && state.fallback !== null) return readNameAsText(reading)
      if (!isEnd || value.callEnd === null) return false
      if (reading.asEnded === null) closeValueAtCallEnd(reading)
      else continueFallback(reading, reading.asEnded)
      return true
    }
    const transition = transitionAt(state, marker)
    switch (meaningAt(reading, transition, at + marker.length)) {
      case 'marker':
      case 'stop':
        if (state.kind !== 'name' || transition.to !== state.fallback)
          return follow(reading, transition, { at, marker })
        take(reading, at)
        return readNameAsText(reading)
      // > Write <function= there.
      //           ^                   a marker that means nothing here is text, and reported
      case 'stray':
        take(reading, at)
        takeStray(reading, at, marker)
        break
      // > ```json\n{"name": "f"}\n```
      //                           ^     the fence is part of the text
      case 'fence':
        take(reading, at)
        passFence(reading, marker)
        take(reading, at + marker.length)
        break
      // > ✿RESULT✿: 12:00\n✿FUNCTION✿: f
      //                      ^              after a stop: dropped, but a call is reported
      case 'late':
        take(reading, at)
        passLateMarker(reading, marker, transition)
        break
      // > <think>Maybe <tool_call>
      //                ^             part of the thought, unless that is never closed
      case 'call-start':
        beginThoughtCalls(reading, at)
        input.look = at + 1
        break
      // > <parameter=k>v</function></tool_call>
      //                 ^                         part of the value, unless that is never closed
      case 'call-end':
        value.callEnd ??= input.base + at
        if (value.isNeverClosed) {
          take(reading, at)
          closeValueAtCallEnd(reading)
          return true
        }
        input.look = at + 1
        break
      case 'text':
        input.look = at + 1
        break
      default:
        input.look = at
        take(reading, at)
        return false
    }
  }
}

/**
 * Reads what is not a name again as text, with the marker before it.
 *
 *   > Write <function name="NAME"> here.\n
 *                                       ^   no name has a line feed
 *   > Hi. <function name="no
 *                           ^               the reply ends, and may have been cut
 */
function readNameAsText(reading: Reading): boolean {
  const { input, collected, marker } = reading
  if (input.isEnd && input.at === input.text.length) addUnfinished(reading)
  addIssueAtMarker(reading, 'marker-in-text', { start: offsetOf(reading) - collected.length - marker.length, marker })
  return goOn(reading, fallBackToText(reading))
}

/** In the second reading of a thought, markers of calls in another thought are part of that. */
function beginThoughtCalls(reading: Reading, at: number): void {
  const { prose, input } = reading
  if (prose.calls !== null || prose.run !== null) return
  take(reading, at)
  prose.calls = input.base + at
}

function takeStray(reading: Reading, at: number, marker: string): void {
  const start = offsetOf(reading)
  take(reading, at + marker.length)
  addIssueAtMarker(reading, 'marker-in-text', { start, marker })
}

/**
 * What a marker means where it is; `undecided` if that depends on what follows. The end of a value counts only if the grammar
 * can go on after it, and so do markers that say what must follow them. Others are `stray` in a text, and text elsewhere.
 *
 *   > a </parameter> b
 *                    ^                   does not count: this is text
 *   > UTC</parameter>   <par
 *                           ^            undecided
 *   > UTC</parameter>\n</function>
 *                      ^                 counts
 */
function meaningAt(
  { input, state, value, context }: Reading,
  { meaning, followers, longestFollower }: CompiledTransition,
  end: number,
): CompiledTransition['meaning'] | 'text' | 'undecided' {
  if (followers === null) return meaning
  const { text, isEnd } = input
  const from = Math.max(end, value.passed)
  const next = afterSpace(text, from)
  context.examined(next - from + 1)
  value.passed = next
  if (followers.some((each) => standsAt(text, each, next))) return meaning
  const left = text.length - next
  const isUndecided = left < longestFollower && followers.some((each) => isCutOff(text, next, each))
  if (left === 0 || isUndecided) return isEnd ? meaning : 'undecided'
  value.passed = 0
  return state.kind === 'text' ? 'stray' : 'text'
}

/**
 * Follows a value with strings and brackets to its end, in JSON or in a notation of the format: a marker in a string is text.
 *
 *   > {"q": "[TOOL_CALLS]"}[TOOL_CALLS]
 *            ^                            inside a string
 */
function followValue(reading: Reading): boolean {
  const { input, json, state, context } = reading
  const { text, look, isEnd } = input
  const { next, quotedMarks, anyText } = state
  if (anyText && reading.value.form !== 'json') {
    const form = (reading.value.form ??= formOf(reading))
    if (form === 'plain') return findMarker(reading)
    if (form === 'code') return followCode(reading)
    if (form === null) return false
  }
  const { at, marker, isWhole } =
    quotedMarks === null ? followArguments(reading) : followQuoted(json, text, look, { marks: quotedMarks, isEnd })
  context.examined(at - look + 1)
  if (marker !== null) return leave(reading, { at, marker })
  if (!isWhole) return wait(reading, at)
  // The value is whole: what follows is read in the next state.
  take(reading, at)
  endCall(reading)
  enter(reading, next ?? state)
  return true
}

/**
 * Decides by their beginning what arguments are; null if only white space, or half a fence, has come.
 *
 *   > ✿ARGS✿: {"a": 1}
 *             ^          JSON, as after a quotation mark or before a marker
 *   > ✿ARGS✿: ```py
 *             ^       a Markdown block
 *   > ✿ARGS✿: Oslo
 *             ^      plain text
 */
function formOf({ input, context }: Reading): 'json' | 'code' | 'plain' | null {
  const { text, look, isEnd } = input
  const start = afterSpace(text, look)
  context.examined(start - look + 1)
  input.look = start
  const isUndecided = text.length - start < FENCE.length && FENCE.startsWith(text.slice(start))
  if (isUndecided && (!isEnd || start === text.length)) return null
  if (IN_JSON.has(text.charAt(start))) return 'json'
  if (standsAt(text, FENCE, start)) {
    input.look = start + FENCE.length
    return 'code'
  }
  // A marker may begin with white space.
  input.look = input.at
  return 'plain'
}

const FENCE = '```'
const IN_JSON: ReadonlySet<string> = new Set(['{', '[', '"'])

/**
 * Follows a Markdown block to its closing fence; markers in it do not count.
 *
 *   > ✿ARGS✿: ```py\nprint('✿RESULT✿')\n```
 *                                          ^   the arguments are whole
 */
function followCode(reading: Reading): boolean {
  const { input, state, context } = reading
  const { text, look, isEnd } = input
  const found = text.indexOf(CODE_END, look)
  context.examined((found < 0 ? text.length : found) - look + 1)
  if (found < 0) {
    const half = CODE_HALVES.find((each) => text.endsWith(each) && text.length - each.length >= look) ?? ''
    return wait(reading, isEnd ? text.length : text.length - half.length)
  }
  take(reading, found + CODE_END.length)
  endCall(reading, 'object')
  enter(reading, state.next ?? state)
  return true
}

const CODE_END = `\n${FENCE}`
/** The beginnings of the closing fence, at the end of a chunk. */
const CODE_HALVES: readonly string[] = ['\n``', '\n`', '\n']

/**
 * Follows arguments. If all of them have arrived they are read at once, and need not be read again to know whether they are JSON.
 *
 *   > f[ARGS]{"a": 1}[TOOL_CALLS]
 *            ^       ^             from here to there
 */
function followArguments({ input, json, state, call, context }: Reading): Followed {
  const { text, look, isEnd } = input
  const { units, next } = state
  let from = look
  if (call !== null && call.json === '' && units.endJson) {
    const { end, examined } = readAtOnce(text, look, call)
    context.examined(examined)
    if (end !== null && next !== null) return { at: end, marker: null, isWhole: true, isBroken: false }
    from = end ?? look
  }
  return followJson(json, text, from, { units, isBracketed: next !== null, isEnd })
}

/** Where the arguments end that begin here; null if not all of them have arrived. */
function readAtOnce(
  text: string,
  look: number,
  call: OpenCall,
): { readonly end: number | null; readonly examined: number } {
  const start = afterSpace(text, look)
  const first = start < text.length ? text.charCodeAt(start) : 0
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return NOT_READ
  const scan = { text, at: start, hasUnseen: false }
  if (!passJson(scan)) return { end: null, examined: scan.at - start + 1 }
  const kind = first === OPEN_BRACE ? 'object' : 'other'
  call.whole = { length: scan.at - start, kind, hasUnseen: scan.hasUnseen }
  return { end: scan.at, examined: 0 }
}

const NOT_READ = { end: null, examined: 0 } as const
const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b
