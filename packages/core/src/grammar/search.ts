import { standsAt } from '../stream/stands-at.ts'
import { afterSpace, wholePairs } from './edges.ts'
import { grammarIssue } from './issues.ts'
import type { CompiledTransition } from './compile.ts'
import { closeAtGap, goOnAtGap } from './gap.ts'
import { shortText } from './calls.ts'
import { leave, leaveBy } from './leave.ts'
import type { FoundExit } from './leave.ts'
import { enter, offsetOf, pass, QUOTED_MOST, tell } from './reading.ts'
import type { Reading } from './reading.ts'
import { take } from './take.ts'
import { passFence } from './text.ts'

/**
 * A state in which nothing but a marker may stand, or else another state begins.
 *
 *   > |  <think>Hm
 *      ^             white space is passed over, then it is decided
 */
export function begin(reading: Reading): boolean {
  const { text, state, isEnd } = reading
  const at = passSpace(reading)
  const marker = state.markers.find((each) => standsAt(text, each, at))
  if (marker !== undefined) return leave(reading, at, marker)
  if (at === text.length) return false
  if (!isEnd && state.markers.some((each) => isCutOff(text, at, each))) return false
  const { space } = reading
  enter(reading, state.fallback ?? state)
  if (reading.state.kind === 'calls') reading.gathered = space
  else reading.space = space
  return true
}

/**
 * White space may be the beginning of what is read instead: it is kept apart, so that a long run of it is passed once.
 *
 *   > \n\n  Noon.
 *           ^       four characters: part of the text, should no marker follow
 */
function passSpace(reading: Reading): number {
  const { text, at: from } = reading
  const at = afterSpace(text, from)
  reading.context.examined(at - from + 1)
  if (at > from) reading.space += text.slice(from, at)
  pass(reading, at)
  return at
}

/**
 * Whether the text ends with the beginning of a marker that stands at `at`.
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
 *                 ^         may become a marker: held until more comes
 */
export function search(reading: Reading): boolean {
  const { text, state, isEnd, context } = reading
  for (;;) {
    const { look } = reading
    const { at, marker } = state.scanner.find(text, look)
    context.examined(at - look + 1)
    if (marker === null) {
      take(reading, isEnd ? text.length : wholePairs(text, at))
      return isEnd && reading.gap !== null && goOnAtGap(reading)
    }
    const exit = state.transitions.get(marker)
    if (exit === undefined) throw new Error(`callspec: no exit at ${marker}`)
    switch (standing(reading, exit, at + marker.length)) {
      case 'marker':
        if (exit.meaning === 'call-start') {
          beginDraft(reading, at)
          break
        }
        if (exit.meaning === 'fence') {
          take(reading, at)
          passFence(reading, marker)
          take(reading, at + marker.length)
          break
        }
        if (exit.meaning === 'late') {
          passLateMarker(reading, exit, { at, marker })
          break
        }
        if (exit.meaning !== 'call-end') return leaveBy(reading, exit, { at, marker })
        reading.gap ??= reading.base + at
        if (reading.hasGaps) {
          take(reading, at)
          return closeAtGap(reading)
        }
        reading.look = at + 1
        break
      case 'stray':
        takeStrayMarker(reading, at, marker)
        break
      case 'text':
        reading.look = at + 1
        break
      default:
        reading.look = at
        take(reading, at)
        return false
    }
  }
}

/** A marker of calls in a thought is part of it, unless the thought is never closed. In a second reading it is part of it. */
function beginDraft(reading: Reading, at: number): void {
  if (reading.draft === null && reading.run === null) {
    take(reading, at)
    reading.draft = reading.base + at
  }
  reading.look = at + 1
}

/**
 * Reports a call after a stop once its name has ended: the text from there on is dropped, calls included.
 *
 *   > ✿RESULT✿: 12:00\n✿FUNCTION✿: f\n✿ARGS✿: {}
 *                      ^              ^              from here to there
 */
function passLateMarker(reading: Reading, { opens }: CompiledTransition, { at, marker }: FoundExit): void {
  take(reading, at)
  const { late, gathered, context } = reading
  const start = offsetOf(reading)
  take(reading, at + marker.length)
  reading.gathered = ''
  reading.late = opens ? { start, marker } : null
  if (late === null) return
  const { readName } = context.compiled.grammar
  const name = readName === undefined ? gathered : (readName(gathered)?.name ?? '')
  if (name === '') return
  const place = { start: late.start, end: start, head: (late.marker + gathered).slice(0, QUOTED_MOST) }
  tell(reading, grammarIssue('call-after-stop', place, `Name: ${shortText(name)}.`))
}

/** What a marker is where it stands; a marker in a text is `stray`, in anything else it is text. */
type Standing = 'marker' | 'stray' | 'text' | 'undecided'

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
function standing(
  reading: Reading,
  { meaning, followers, longestFollower }: CompiledTransition,
  end: number,
): Standing {
  if (meaning === 'stray') return 'stray'
  if (followers === null) return 'marker'
  const { text, state, isEnd, passed, context } = reading
  const from = Math.max(end, passed)
  const behind = afterSpace(text, from)
  context.examined(behind - from + 1)
  reading.passed = behind
  if (followers.some((each) => standsAt(text, each, behind))) return 'marker'
  const left = text.length - behind
  const isUndecided = left < longestFollower && followers.some((each) => isCutOff(text, behind, each))
  if (left === 0 || isUndecided) return isEnd ? 'marker' : 'undecided'
  reading.passed = 0
  return state.kind === 'text' ? 'stray' : 'text'
}

/**
 * A marker that means nothing where it stands is text, and noted.
 *
 *   > Write <function= there.
 *           ^                   no wrapper was opened before it
 */
function takeStrayMarker(reading: Reading, at: number, marker: string): void {
  take(reading, at)
  const start = offsetOf(reading)
  take(reading, at + marker.length)
  tell(reading, grammarIssue('marker-in-text', { start, end: start + marker.length, head: marker }))
}
