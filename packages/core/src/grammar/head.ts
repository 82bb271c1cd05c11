import { notePlace, tellCall } from './calls.ts'
import { afterSpace } from './edges.ts'
import type { ReadHead } from './grammar.ts'
import { grammarIssue } from './issues.ts'
import { enter, newCall, offsetOf, QUOTED_MOST, stateNamed, tell } from './reading.ts'
import type { Reading } from './reading.ts'

/** A head that was read, and the text of it. */
export interface FoundHead {
  readonly head: ReadHead
  readonly written: string
  /** Where it begins in the reply. */
  readonly start: number
}

/**
 * Reads the head that the present state has gathered, which ended with a marker or, empty, with the reply; null where it
 * may still have become one.
 *
 *   > <|channel|>commentary to=functions.f<|message|>
 *                                         ^            a call of f begins
 */
export function findHead(reading: Reading, marker: string): FoundHead | null {
  const { gathered } = reading
  reading.gathered = ''
  const head = headAgain(reading, gathered, marker)
  return head === null ? null : { head, written: gathered + marker, start: offsetOf(reading) - gathered.length }
}

/** Heads of a reply are few, and most of them come again: calls of one tool have the same. */
function headAgain({ state, context }: Reading, text: string, marker: string): ReadHead | null {
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
 * Goes on behind a head, which may have begun a call, or have been none and so text.
 *
 *   > to=functions.f<|message|>{}
 *                              ^    the call is told before its arguments
 *   > <|channel|>final to=f x y<|message|>Hm.
 *                                         ^   a word too many: the words are text, and so is what follows
 */
export function followHead(reading: Reading, { head, written, start }: FoundHead): void {
  enter(reading, stateNamed(reading.context.compiled.states, head.to))
  if (head.issue !== undefined)
    tell(reading, grammarIssue(head.issue, { start, end: start + written.length, head: written }))
  for (const text of head.texts ?? [])
    if (afterSpace(text) < text.length) tell(reading, { kind: 'text', text, begins: true })
  reading.channel = head.channel ?? null
  if (head.call === undefined) return
  const call = newCall(start)
  call.anchor.head = written.slice(0, QUOTED_MOST)
  call.name = head.call.name
  call.isFree = head.call.isFree === true
  reading.call = call
  tellCall(reading)
}

/**
 * What is to be said of a head in which the reply ends.
 *
 *   > <|end|><|start|>assistant<|channel|>comm
 *                                             ^   neither a call nor text
 */
export function endHead(reading: Reading): void {
  const { entryStart, entryMarker, gathered } = reading
  const found = findHead(reading, '')
  if (found !== null) return followHead(reading, found)
  notePlace(reading, { start: entryStart, head: entryMarker + gathered }, 'cut')
}
