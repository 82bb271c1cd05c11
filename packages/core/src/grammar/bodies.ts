import { afterSpace } from '@callspec/python'
import { addCallIssue, readBodyCalls, takeBody } from './calls.ts'
import { followJson } from './follow.ts'
import { grammarIssue } from './issues.ts'
import { followPython, isWholePython, newPythonWatch } from './python.ts'
import { addIssueAtMarker, emit, enter, offsetOf, QUOTED_MOST, rewind } from './reading.ts'
import type { Reading } from './reading.ts'

/**
 * How far a body of calls goes in the text that has arrived.
 *
 * - `open`: more of it may come
 * - `whole`: it has ended
 * - `none`: it is not a body of calls
 * - `marker`: a marker ends it
 */
type Followed =
  | { readonly kind: 'open' | 'whole' | 'none'; readonly at: number }
  | { readonly kind: 'marker'; readonly at: number; readonly marker: string }

/** What the machine does next: leave at a marker, read on in another state, or wait for more text (`at`: what is read so far). */
export type BodyStep = { readonly at: number; readonly marker: string | null } | 'entered'

/**
 * Reads a JSON body of calls to its end.
 *
 *   > functools[{"name": "f", "arguments": {}}] Done.
 *                                              ^      the calls are emitted, and the reply goes on
 *   > functools[0] is odd
 *                 ^       no calls: all of it is text
 */
export function readJsonBody(reading: Reading): BodyStep {
  const { state, context, body, input } = reading
  const { look, isEnd } = input
  const mayBeText = state.fallback !== null
  const followed = followJsonBody(reading)
  const { at } = followed
  context.examined(at - look + 1)
  switch (followed.kind) {
    // > functools[{"name": "f"
    //                         ^   more may come; if the reply ends here it is text
    case 'open':
      if (!isEnd || !mayBeText) return { at, marker: null }
      input.look = at
      if (body.phase === 'inside') addUnfinished(reading)
      addTextBodyIssues(reading, { isNamed: false })
      return fallBackToText(reading)
    // > functools[one
    //             ^     JSON has no such word
    case 'none':
      if (mayBeText) {
        addTextBodyIssues(reading, { isNamed: false })
        return fallBackToText(reading)
      }
      takeBody(reading, at)
      body.phase = 'unreadable'
      return 'entered'
    // > <tool_call>{"name": "f", <tool_call>
    //                            ^             ends what is not JSON
    case 'marker':
      body.phase = 'unreadable'
      return { at, marker: followed.marker }
    // > functools[{"name": "f", "arguments": {}}]
    //                                            ^   calls, if each has a name and an object of arguments
    default: {
      takeBody(reading, at)
      const result = readBodyCalls(reading)
      if (result !== 'read') {
        addTextBodyIssues(reading, { isNamed: result === 'named' })
        return fallBackToText(reading)
      }
      enter(reading, state.next ?? state)
      return 'entered'
    }
  }
}

/**
 * Follows a JSON body from where the search goes on. Sets the phase.
 *
 *   > functools [{"name": "f", "arguments": {}}]
 *               ^              ^                ^   before it, inside, and whole
 */
function followJsonBody(reading: Reading): Followed {
  const { body, state, json } = reading
  if (body.phase === 'before') {
    const first = findBodyStart(reading)
    if (first !== null) return first
    body.phase = 'inside'
    const end = findCalls(reading)
    if (end !== null) return afterBody(reading, end)
  }
  if (body.phase === 'after') return findRest(reading)
  const { text, look, isEnd } = reading.input
  const ends = { units: state.units, isBracketed: true, isEnd }
  const { at, marker, isWhole, isBroken } = followJson(json, text, look, ends)
  if (marker !== null) return { kind: 'marker', at, marker }
  if (isBroken) return { kind: 'none', at }
  return isWhole ? afterBody(reading, at) : { kind: 'open', at }
}

/**
 * Where the body ends, if all of it has arrived and it holds calls: then it is read once, and not followed.
 *
 *   > functools[{"name": "f", "arguments": {}}] Done.
 *              ^                               ^       from here to there
 */
function findCalls({ input, state, context, body }: Reading): number | null {
  const { text, look } = input
  const found = state.units.endJson ? context.compiled.grammar.readCalls?.at?.(text, look) : undefined
  if (found === undefined) return null
  body.found = found.calls
  if (found.calls !== null) return found.end
  context.examined(found.end - look + 1)
  return null
}

function afterBody(reading: Reading, at: number): Followed {
  if (!reading.state.mustEndReply) return { kind: 'whole', at }
  reading.body.phase = 'after'
  reading.input.look = at
  return findRest(reading)
}

/**
 * Null if the bracket that begins the body is here.
 *
 *   > functools  [
 *              ^    white space is passed over
 *   > functools for
 *               ^   not a body
 */
function findBodyStart({ input, state }: Reading): Followed | null {
  const { text, isEnd } = input
  const { fallback, markers, bodyStart } = state
  const at = afterSpace(text, input.look)
  if (at === text.length) return { kind: 'open', at }
  input.look = at
  const marker = fallback === null ? markers.find((each) => text.startsWith(each, at)) : undefined
  if (marker !== undefined) return { kind: 'marker', at, marker }
  // A marker may begin with the bracket too: then what follows decides.
  const rest = text.slice(at, at + LONGEST_MARKER)
  if (fallback === null && !isEnd && markers.some((each) => each !== rest && each.startsWith(rest)))
    return { kind: 'open', at }
  return text[at] === bodyStart ? null : { kind: 'none', at }
}

/** No marker is longer. */
const LONGEST_MARKER = 64

/**
 * A body that must end the reply is whole if the reply ends after it, or a stop token follows.
 *
 *   > {"name": "f", "parameters": {}} Done
 *                                     ^    not a body, but text
 */
function findRest({ input, context }: Reading): Followed {
  const { text, isEnd } = input
  const { stops } = context.compiled.grammar
  const at = afterSpace(text, input.look)
  input.look = at
  if (at === text.length) return { kind: isEnd ? 'whole' : 'open', at }
  if (stops.some((each) => text.startsWith(each, at))) return { kind: 'whole', at }
  const rest = text.slice(at, at + LONGEST_MARKER)
  return { kind: !isEnd && stops.some((each) => each.startsWith(rest)) ? 'open' : 'none', at }
}

/**
 * Reads a body of Python calls to its end, which is a marker or the end of the reply.
 *
 *   > <|tool_call_start|>[f(a="]<|tool_call_end|>")]<|tool_call_end|>
 *                                                   ^                   outside of strings
 *   > [1] is
 *      ^      not a call: all of it is text
 */
export function readPythonBody(reading: Reading): BodyStep {
  const { state, context, input } = reading
  const { look, isEnd, base } = input
  const followed = followPythonBody(reading)
  const { at } = followed
  context.examined(at - look + 1)
  // > <|tool_call_start|>[f(a="Os
  //                              ^   waits; if the reply ends here, it was truncated
  if (followed.kind === 'open' && (!isEnd || isTruncated(reading))) return { at, marker: null }
  if (followed.kind === 'none' || followed.kind === 'open') {
    if (followed.kind === 'none') addUnreadIssue(reading, base + at)
    else if (state.mayBeTruncated === true) addUnreadIssue(reading, base + input.text.length)
    else if (reading.body.python?.place !== 'begin') addUnfinished(reading)
    return fallBackToText(reading)
  }
  // > <|tool_call_start|>[f(x=y)]<|tool_call_end|>
  //                              ^                   Python, but not a call: a name is not a value
  takeBody(reading, at)
  if (readBodyCalls(reading) !== 'read') {
    addUnreadIssue(reading, offsetOf(reading))
    return fallBackToText(reading)
  }
  if (followed.kind === 'marker') return { at, marker: followed.marker }
  enter(reading, state.next ?? state)
  return 'entered'
}

/**
 * Follows a body of Python from where the search goes on. A stop token ends it like the end of the reply.
 *
 *   > [f(a=1)]<|eot_id|>
 *             ^            whole
 *   > [f(a=1), <|eot_id|>
 *              ^            not a body
 */
function followPythonBody({ input, state, body }: Reading): Followed {
  const { text, look, isEnd } = input
  const form = state.python
  const watch = (body.python ??= newPythonWatch(form))
  const { at, marker, isBroken } = followPython(watch, text, look, { form, markers: state.pythonEnds, isEnd })
  if (isBroken) return { kind: 'none', at }
  if (marker !== null && state.transitions.has(marker)) return { kind: 'marker', at, marker }
  if ((marker !== null || isEnd) && isWholePython(watch, form)) return { kind: 'whole', at }
  return { kind: marker === null ? 'open' : 'none', at }
}

/**
 * Whether a body that is open when the reply ends was truncated, so that it is neither calls nor text. If it contains its
 * closing marker, it had an end, and only a string in it was never closed.
 *
 *   > <|tool_call_start|>[f(a="Os
 *                                ^   truncated
 *   > <|tool_call_start|>[f(a="Oslo)]<|tool_call_end|>
 *                                                     ^   not truncated, and no calls
 */
function isTruncated({ collected, input, state }: Reading): boolean {
  if (state.mayBeTruncated !== true) return false
  // A string that was never closed may span chunks, and the marker with it.
  const body = collected + input.text.slice(input.at)
  return !state.markers.some((marker) => body.includes(marker))
}

/**
 * Reads a body without calls again, as text, and with it the marker before it, unless that is a token. It stays linear: a
 * marker outside of strings ends a body, and the quote that begins a string of an inner body ends one of the outer body.
 *
 *   > Use functools[x] or functools[{"name": "f", "arguments": {}}]
 *                   ^                                               from here on
 */
export function fallBackToText(reading: Reading): 'entered' {
  const { marker, state, asEnded, collected, input } = reading
  const { space } = reading.prose
  if (input.isEnd && asEnded !== null) return continueFallback(reading, asEnded)
  rewind(reading, offsetOf(reading) - collected.length, collected)
  reading.collected = ''
  reading.call = null
  enter(reading, state.fallback ?? state)
  if (marker === '' || state.isToken) return 'entered'
  reading.prose.hasText = true
  emit(reading, { kind: 'text', text: space + marker })
  return 'entered'
}

/** The same in a snapshot, if earlier snapshots have read on as if the reply had ended (`asEnded`). */
export function continueFallback(reading: Reading, asEnded: Reading): 'entered' {
  const { input, events, body } = reading
  const text = asEnded.input.text + input.text.slice(input.at)
  Object.assign(reading, asEnded, {
    input: { ...asEnded.input, text, isEnd: true },
    body: { ...asEnded.body, unfinished: body.unfinished },
    events: [...(events ?? []), ...(asEnded.events ?? [])],
  })
  return 'entered'
}

/** Reports, of a JSON body that becomes text, that calls were meant, and that the marker before it means nothing. */
function addTextBodyIssues(reading: Reading, { isNamed }: { readonly isNamed: boolean }): void {
  const { collected, marker, call } = reading
  const end = offsetOf(reading)
  const start = end - collected.length - marker.length
  // Without a marker before it, JSON with a name may be anything.
  if (isNamed && call !== null) addCallIssue(reading, call, 'calls-not-readable')
  else if (isNamed) emit(reading, grammarIssue('call-in-text', { start, end, head: collected.slice(0, QUOTED_MOST) }))
  if (marker !== '') addIssueAtMarker(reading, 'marker-in-text', { start, marker })
}

/** Reports, of a Python body that becomes text, that calls were meant, or that the marker before it means nothing. */
function addUnreadIssue(reading: Reading, end: number): void {
  const { body, marker, state } = reading
  const { start, head } = bodyStart(reading)
  if (state.isToken || body.python?.hasCall === true) {
    emit(reading, grammarIssue('calls-not-readable', { start, end, head: head.slice(0, end - start) }))
  } else if (marker !== '') addIssueAtMarker(reading, 'marker-in-text', { start, marker })
}

/** A body, or a name, that was open when the reply ended may have been calls: the first one is reported as cut. */
export function addUnfinished(reading: Reading): void {
  const { start, head } = bodyStart(reading)
  reading.body.unfinished ??= { start, head: head.slice(0, QUOTED_MOST) }
}

/** Where the body begins, with its marker, and its first characters. */
function bodyStart(reading: Reading): { readonly start: number; readonly head: string } {
  const { collected, input, marker } = reading
  const { text, at } = input
  return {
    start: offsetOf(reading) - collected.length - marker.length,
    head: marker + collected.slice(0, QUOTED_MOST) + text.slice(at, at + QUOTED_MOST),
  }
}
