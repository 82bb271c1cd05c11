import { noteUnfinished } from './body.ts'
import type { FollowedBody } from './body.ts'
import { grammarIssue } from './issues.ts'
import { followPython, isWholePython, newPythonWatch } from './python-watch.ts'
import { offsetOf, QUOTED_MOST, tell } from './reading.ts'
import type { Reading } from './reading.ts'

/**
 * Follows the body from where the search goes on. A stop ends it as the end of the reply does.
 *
 *   > [f(a=1)]<|eot_id|>
 *             ^            whole
 *   > [f(a=1), <|eot_id|>
 *              ^            none
 */
export function followPythonBody(reading: Reading): FollowedBody {
  const { text, look, isEnd, state } = reading
  const form = state.python
  const watch = (reading.python ??= newPythonWatch(form))
  const { at, marker, isBroken } = followPython(watch, text, look, { form, markers: state.pythonEnds, isEnd })
  if (isBroken) return { kind: 'none', at }
  if (marker !== null && state.transitions.has(marker)) return { kind: 'marker', at, marker }
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
export function isCutInside({ gathered, text, at, state }: Reading): boolean {
  const { mayBeTruncated } = state
  // Chunks may have parted one inside a string.
  return mayBeTruncated === true && !state.markers.some((marker) => (gathered + text.slice(at)).includes(marker))
}

/** Of a body that becomes text as the reply ends: a list that needs no marker may have been cut. */
export function noteOpen(reading: Reading): void {
  if (reading.state.mayBeTruncated === true) noteUnread(reading, reading.base + reading.text.length)
  else if (reading.python?.place !== 'begin') noteUnfinished(reading)
}

/** Says, where calls were meant, that there are none; and where a marker is text, that it means nothing. */
export function noteUnread(reading: Reading, end: number): void {
  const { python, gathered, text, at, marker, state } = reading
  const start = offsetOf(reading) - gathered.length - marker.length
  if (state.isToken || python?.hasCall === true) {
    const head = marker + gathered.slice(0, QUOTED_MOST) + text.slice(at, at + QUOTED_MOST)
    tell(
      reading,
      grammarIssue('calls-not-readable', { start, end, head: head.slice(0, Math.min(QUOTED_MOST, end - start)) }),
    )
  } else if (marker !== '') {
    const behind = start + marker.length
    tell(reading, grammarIssue('marker-in-text', { start, end: behind, head: marker }))
  }
}
