import { noteCall, tellCall } from './calls.ts'
import type { CompiledState } from './compile.ts'
import { afterSpace } from './edges.ts'
import type { Grammar, HeadPlace, ReadHead } from './grammar.ts'
import { grammarIssue } from './issues.ts'
import { enter, feed, newCall } from './reading.ts'
import type { Reading } from './reading.ts'

/** A head that was read, and the text of it. */
export interface FoundHead {
  readonly head: ReadHead
  readonly written: string
  /** Where it begins in the reply. */
  readonly start: number
}

/**
 * Reads the head that a state has gathered; null where the state gathers none.
 *
 *   > <|channel|>commentary to=functions.f<|message|>
 *                                         ^            a call of f begins
 */
export function findHead(
  reading: Reading,
  { is }: CompiledState,
  place: HeadPlace,
  grammar: Grammar,
): FoundHead | null {
  if (is !== 'head') return null
  const { gathered, offset } = reading
  reading.gathered = ''
  const head = grammar.readHead?.(gathered, place) ?? null
  return head === null ? null : { head, written: gathered + place.marker, start: offset - gathered.length }
}

/** Goes on behind a head, which may have begun a call, or have been none and so text. */
export function followHead(reading: Reading, { head, written, start }: FoundHead): void {
  enter(reading, head.to)
  if (head.issue !== undefined)
    reading.events.push(grammarIssue(head.issue, { start, end: start + written.length, head: written }))
  for (const text of head.texts ?? [])
    if (afterSpace(text) < text.length) reading.events.push({ kind: 'text', text, begins: true })
  reading.channel = head.channel ?? null
  if (head.call === undefined) return
  reading.call = { ...newCall(start), name: head.call.name, isFree: head.call.isFree === true, isNamed: true }
  feed(reading.call.anchor, written)
  tellCall(reading)
}

/**
 * What is to be said of a head in which the reply ends.
 *
 *   > <|end|><|start|>assistant<|channel|>comm
 *                                             ^   neither a call nor text
 */
export function endHead(reading: Reading, state: CompiledState, grammar: Grammar): void {
  const { entry, gathered } = reading
  const found = findHead(reading, state, { state: state.name, marker: '' }, grammar)
  if (found === null) return noteCall(reading, { anchor: { start: entry.start, head: entry.head + gathered } }, 'cut')
  followHead(reading, found)
}
