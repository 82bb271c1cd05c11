import { unreachable } from '@callspec/python'
import { becomeText, followBody, noteTextBody, noteUnfinished, readBody } from './body.ts'
import { endCall } from './calls.ts'
import { afterSpace, wholePairs } from './edges.ts'
import { passValue } from './json-scan.ts'
import { followJson } from './json-watch.ts'
import type { Followed } from './json-watch.ts'
import { leave } from './leave.ts'
import { followPythonBody, isCutInside, noteOpen, noteUnread } from './python-body.ts'
import { followQuoted } from './quoted-value.ts'
import { search } from './search.ts'
import { standsAt } from '../stream/stands-at.ts'
import { enter, offsetOf } from './reading.ts'
import type { OpenCall, Reading } from './reading.ts'
import { take } from './take.ts'

/**
 * Follows a value with strings and brackets to its end, JSON or of the format's own: a marker inside a string is text.
 *
 *   > {"q": "[TOOL_CALLS]"}[TOOL_CALLS]
 *            ^                            inside a string
 */
export function followValue(reading: Reading): boolean {
  const { text, look, watch, isEnd, state, context } = reading
  const { markers, next } = state
  const { quote, anyText } = state
  if (anyText && reading.form !== 'json') {
    if (reading.form === null) beginForm(reading)
    if (reading.form === 'plain') return search(reading)
    if (reading.form === 'code') return followCode(reading)
    // Only white space has come, or half a fence.
    if (reading.form === null) return false
  }
  const { at, marker, isWhole } =
    quote === null ? followArguments(reading) : followQuoted(watch, text, look, { markers, isEnd, quote })
  context.examined(at - look + 1)
  if (marker !== null) return leave(reading, at, marker)
  if (!isWhole) return goOn(reading, at)
  // The value is whole: what follows is read in the next state.
  take(reading, at)
  endCall(reading)
  enter(reading, next ?? state)
  return true
}

/**
 * Decides by their beginning what arguments are.
 *
 *   > ✿ARGS✿: {"a": 1}
 *             ^          JSON, as after a quotation mark or before a marker
 *   > ✿ARGS✿: ```py
 *             ^       a Markdown block
 *   > ✿ARGS✿: Oslo
 *             ^      plain text
 */
function beginForm(reading: Reading): void {
  const { text, look, isEnd, context } = reading
  const start = afterSpace(text, look)
  context.examined(start - look + 1)
  reading.look = start
  const isUndecided = text.length - start < FENCE.length && FENCE.startsWith(text.slice(start))
  if (isUndecided && (!isEnd || start === text.length)) return
  if (IN_JSON.has(text.charAt(start))) reading.form = 'json'
  else if (standsAt(text, FENCE, start)) {
    reading.form = 'code'
    reading.look = start + FENCE.length
  } else {
    reading.form = 'plain'
    // A marker may begin with white space.
    reading.look = reading.at
  }
}

const FENCE = '```'
const IN_JSON: ReadonlySet<string> = new Set(['{', '[', '"'])

/**
 * Follows a Markdown block to its closing fence, in which no marker counts.
 *
 *   > ✿ARGS✿: ```py\nprint('✿RESULT✿')\n```
 *                                          ^   the arguments are whole
 */
function followCode(reading: Reading): boolean {
  const { text, look, state, isEnd, context } = reading
  const found = text.indexOf(CODE_END, look)
  context.examined((found < 0 ? text.length : found) - look + 1)
  if (found < 0) {
    const half = CODE_HALVES.find((each) => text.endsWith(each) && text.length - each.length >= look) ?? ''
    return goOn(reading, isEnd ? text.length : text.length - half.length)
  }
  take(reading, found + CODE_END.length)
  endCall(reading, 'object')
  enter(reading, state.next ?? state)
  return true
}

/** What the closing fence may begin with at the end of a chunk. */
const CODE_HALVES: readonly string[] = ['\n``', '\n`', '\n']
const CODE_END = `\n${FENCE}`

/**
 * Follows arguments. Where all of them have come they are read once: what is JSON then has not to be asked again.
 *
 *   > f[ARGS]{"a": 1}[TOOL_CALLS]
 *            ^       ^             from here to there
 */
function followArguments(reading: Reading): Followed {
  const { text, look, watch, isEnd, state, call } = reading
  const { units, next } = state
  const end = call !== null && call.json === '' && units.endJson ? readAtOnce(reading, call) : -1
  if (end >= 0 && next !== null) return { at: end, marker: null, isWhole: true, isBroken: false }
  return followJson(watch, text, end < 0 ? look : end, { units, isBracketed: next !== null, isEnd })
}

/** Where the arguments end that begin here; -1 if not all of them have come. */
function readAtOnce({ text, look, context }: Reading, call: OpenCall): number {
  const start = afterSpace(text, look)
  const first = start < text.length ? text.charCodeAt(start) : 0
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return -1
  const scan = { text, at: start, hasUnseen: false }
  if (!passValue(scan)) {
    context.examined(scan.at - start + 1)
    return -1
  }
  const kind = first === OPEN_BRACE ? 'object' : 'other'
  call.whole = { length: scan.at - start, kind, hasUnseen: scan.hasUnseen }
  return scan.at
}

const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

/**
 * What was followed up to `at` stays, and goes on with the next chunk.
 *
 *   > {"q": "see [TOOL
 *                     ^   inside a string this is no half of a marker: all of it is handed on
 */
function goOn(reading: Reading, at: number): false {
  reading.look = at
  take(reading, reading.isEnd ? at : wholePairs(reading.text, at))
  return false
}

/**
 * Follows a JSON body of calls to its end.
 *
 *   > functools[{"name": "f", "arguments": {}}] Done.
 *                                              ^      the calls are told, and the reply goes on
 *   > functools[0] is odd
 *                 ^       no calls: all of it is text
 */
export function followCalls(reading: Reading): boolean {
  const { look, isEnd, state, context } = reading
  const mayBeText = state.fallback !== null
  const followed = followBody(reading)
  context.examined(followed.at - look + 1)
  switch (followed.kind) {
    // > functools[{"name": "f"
    //                         ^   more may come; where the reply ends it is text
    case 'open':
      if (!isEnd || !mayBeText) return goOn(reading, followed.at)
      reading.look = followed.at
      if (reading.phase === 'inside') noteUnfinished(reading)
      noteTextBody(reading, false)
      return becomeText(reading)
    // > functools[one
    //             ^     no word of JSON
    case 'none':
      if (mayBeText) {
        noteTextBody(reading, false)
        return becomeText(reading)
      }
      take(reading, followed.at)
      reading.phase = 'unreadable'
      return true
    // > <tool_call>{"name": "f", <tool_call>
    //                            ^             ends what is no JSON
    case 'marker':
      reading.phase = 'unreadable'
      return leave(reading, followed.at, followed.marker)
    // > functools[{"name": "f", "arguments": {}}]
    //                                            ^   calls, if each has a name and an object of arguments
    case 'whole': {
      take(reading, followed.at)
      const verdict = readBody(reading)
      if (verdict === 'told') enter(reading, state.next ?? state)
      else {
        noteTextBody(reading, verdict === 'named')
        becomeText(reading)
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
export function followPythonCalls(reading: Reading): boolean {
  const { look, isEnd, state, context } = reading
  const followed = followPythonBody(reading)
  context.examined(followed.at - look + 1)
  const { at } = followed
  // > <|tool_call_start|>[f(a="Os
  //                              ^   waits, and at the end of the reply it was cut
  if (followed.kind === 'open' && (!isEnd || isCutInside(reading))) return goOn(reading, at)
  if (followed.kind === 'none' || followed.kind === 'open') {
    if (followed.kind === 'open') noteOpen(reading)
    else noteUnread(reading, reading.base + at)
    return becomeText(reading)
  }
  // > <|tool_call_start|>[f(x=y)]<|tool_call_end|>
  //                              ^                   Python, but no call: a name is no value
  take(reading, at)
  if (readBody(reading) !== 'told') {
    noteUnread(reading, offsetOf(reading))
    return becomeText(reading)
  }
  if (followed.kind === 'marker') return leave(reading, at, followed.marker)
  enter(reading, state.next ?? state)
  return true
}
