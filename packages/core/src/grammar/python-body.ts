import { noteUnfinished } from './body.ts'
import type { BodyEnds, FollowedBody } from './body.ts'
import type { CompiledState } from './compile.ts'
import { grammarIssue } from './issues.ts'
import { followPython, isWholePython, newPythonWatch } from './python-watch.ts'
import { QUOTED_MOST } from './reading.ts'
import type { Reading } from './reading.ts'

/** Follows the body from where the search goes on. A stop ends it as the end of the reply does. */
export function followPythonBody(reading: Reading, state: CompiledState, { stops, isEnd }: BodyEnds): FollowedBody {
  const form = state.state.python ?? 'list'
  const watch = (reading.python ??= newPythonWatch(form))
  const markers = [...state.markers, ...stops]
  const { at, marker, isBroken } = followPython(watch, reading.held, reading.look, { form, markers, isEnd })
  if (isBroken) return { kind: 'none', at }
  if (marker !== null && state.exits.has(marker)) return { kind: 'marker', at, marker }
  if ((marker !== null || isEnd) && isWholePython(watch, form)) return { kind: 'whole', at }
  return { kind: marker === null ? 'open' : 'none', at }
}

/**
 * Whether a body that is open when the reply ends was cut, so that it is neither calls nor text. A marker in it says that it
 * had an end, but for a string that was never closed.
 *
 *   > <|tool_call_start|>[f(a="Os
 *                                ^   cut
 *   > <|tool_call_start|>[f(a="Oslo)]<|tool_call_end|>
 *                                                     ^   not cut, and no calls
 */
export function isCutInside({ gathered, held }: Reading, { state, markers }: CompiledState): boolean {
  return state.isOpen === true && !markers.some((marker) => (gathered + held).includes(marker))
}

/** Of a body that becomes text as the reply ends: a list that needs no marker may have been cut. */
export function noteOpen(reading: Reading, state: CompiledState): void {
  if (state.state.isOpen === true) noteUnread(reading, state, reading.offset + reading.held.length)
  else if (reading.python?.place !== 'begin') noteUnfinished(reading)
}

/** Says, where calls were meant, that there are none; and where a marker is text, that it means nothing. */
export function noteUnread(reading: Reading, { state }: CompiledState, end: number): void {
  const { python, gathered, held, marker, offset } = reading
  const start = offset - gathered.length - marker.length
  const head = (marker + gathered + held).slice(0, Math.min(QUOTED_MOST, end - start))
  if (state.isToken === true || python?.hasCall === true)
    reading.events.push(grammarIssue('calls-not-readable', { start, end, head }))
  else if (marker !== '') {
    const behind = start + marker.length
    reading.events.push(grammarIssue('marker-in-text', { start, end: behind, head: marker }))
  }
}
