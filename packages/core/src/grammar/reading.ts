import type { JsonKind } from '@callspec/python'
import type { ReplyEvent } from '../reply/event.ts'
import type { IssueItem } from '../reply/item.ts'
import type { CompiledGrammar, CompiledState } from './compile.ts'
import type { BodyCall, ReadHead, ReadName, Schemas } from './grammar.ts'
import { grammarIssue, QUOTED } from './issues.ts'
import type { GrammarIssueCode } from './issues.ts'
import { newJsonWatch } from './follow.ts'
import type { JsonWatch } from './follow.ts'
import type { PythonWatch } from './python.ts'
import { watchEvent } from './quote.ts'
import type { QuoteWatch } from './quote.ts'

/** What stays the same from the first character of a reply to its last. */
export interface ReadingContext {
  readonly compiled: CompiledGrammar
  readonly schemas: Schemas
  /** Receives how many characters were looked at. */
  readonly examined: (characters: number) => void
  /** Reads on to the end of the reply. */
  readonly finish: (reading: Reading) => void
  /** The heads that were read last. */
  readonly heads: SeenHead[]
  /** The name that was read last, as written, and what `readName` made of it; null for no name. */
  readonly seenName: { text: string | null; read: ReadName | null }
}

/** A head, where it was, and what `readHead` made of it. */
export interface SeenHead {
  readonly text: string
  readonly marker: string
  readonly state: string
  readonly head: ReadHead | null
}

/** The text that has arrived. Functions of this file move through it. */
export interface Input {
  /** What the present push has read (up to `at`), and what is not decided yet. */
  text: string
  /** Where `text` begins in the reply. */
  base: number
  /** Where in `text` the undecided part begins. */
  at: number
  /** Where in `text` the search goes on: no marker begins before it. */
  look: number
  /** Whether no more text comes. */
  isEnd: boolean
}

/** A place in the reply, and the quoted text after it that `Input.text` no longer has: `quoteFrom` gives all of it. */
export interface Anchor {
  readonly start: number
  head: string
}

/** A call that has begun. Owned by `calls.ts`. */
export interface OpenCall {
  readonly anchor: Anchor
  name: string
  id: string | null
  /** Whether its arguments are free text. */
  isFree: boolean
  /** Whether its event was emitted; a call without a name never is. */
  isEmitted: boolean
  /** Values so far. */
  members: number
  /**
   * The key whose value has not come yet; null for none.
   *
   *   > <parameter=city>Oslo</parameter>
   *                     ^                  `city`
   */
  key: string | null
  keys: Set<string> | null
  /** The marker before the value that is being read. */
  opener: string
  /** The arguments so far. Only appended to and never looked into, so that appending does not copy. */
  json: string
  /** How much of the arguments was read as one JSON value at once, and what it is; null if they were followed. */
  whole: { readonly length: number; readonly kind: JsonKind; readonly hasUnseen: boolean } | null
}

/** A text or thought that is being read. Owned by `text.ts`. */
export interface Prose {
  /**
   * White space at the edge of a text, which may or may not be part of it.
   *
   *   > Let me look.\n\n
   *                     ^   two line feeds
   * Of a name: what a trimmed text has left to the marker before it, and which is text again if that is.
   */
  space: string
  hasText: boolean
  /** The channel of the present text; null for none. */
  channel: string | null
  /** Of a text: where in the reply the open fence of code begins, from which on text is collected; null for none. */
  fence: number | null
  /** Of a text: the calls that its code shows; null for none. */
  shown: IssueItem[] | null
  /** Of a thought: where in the reply its first marker of calls is, from which on text is collected; null for none. */
  calls: number | null
  /** Of the second reading of a thought: its last calls with only white space between them; null for any other reading. */
  run: CallRun | null
}

export interface CallRun {
  /** Where in the reply they begin. */
  readonly start: number
  /** The last complete call before them, and where its run begins; null for none. */
  readonly whole: { readonly name: string; readonly start: number } | null
}

/** A body of calls that is being read. Owned by `bodies.ts`. */
export interface Body {
  phase: BodyPhase
  /** The calls of a JSON body, if they were found before it was followed. */
  found: readonly BodyCall[] | null
  /** Of a body in Python; null before its first character. */
  python: PythonWatch | null
  /**
   * The first body that had not ended when the reply did, and so became text.
   *
   *   > functools[{"name": "f"
   *                           ^
   */
  unfinished: Anchor | null
}

/** How far a JSON body of calls was read. */
export type BodyPhase =
  // > functools [{"name": "f", "arguments": {}}]
  //            ^                                   white space may precede its bracket
  | 'before'
  // > functools[{"name": "f", "argu
  //             ^                     in its JSON
  | 'inside'
  // > {"name": "f", "parameters": {}}
  //                                  ^   it counts only if nothing follows
  | 'after'
  // > <tool_call>clock</tool_call>
  //                   ^              not JSON: it is dropped
  | 'unreadable'

/** A value or arguments that are being read. Owned by `machine.ts`. */
export interface Value {
  /** Of arguments that may be any text: what they began as; null before their first character. */
  form: 'json' | 'code' | 'plain' | null
  /**
   * Where in the input the white space ends that follows a marker which may end the value; 0 for no such marker.
   *
   *   > <parameter=k>v</parameter>  
   *                                 ^   what follows decides whether the marker counts
   */
  passed: number
  /** Where in the reply the end of the call appears first in the value; null for nowhere. */
  callEnd: number | null
  /** Whether a value was never closed: no later one is, so the end of a call ends each. Stays for the rest of the reply. */
  isNeverClosed: boolean
}

/** How far a reply was read. Each part belongs to the file that it names; `enter` resets them. */
export interface Reading {
  readonly context: ReadingContext
  readonly input: Input
  state: CompiledState
  /** The last marker that led from one state to another, and where it is in the reply. */
  readonly entry: { start: number; marker: string }
  /** The marker by which the present state was entered; empty if it was entered without one. */
  marker: string
  /**
   * What was collected of a name, a key, a value or a body. Only appended to, like the arguments.
   *
   *   > <function=get_wea
   *                      ^   `get_wea`
   */
  collected: string
  call: OpenCall | null
  readonly json: JsonWatch
  readonly prose: Prose
  /** Of the texts: whether they have opened code or a quotation. */
  readonly quote: QuoteWatch
  readonly body: Body
  readonly value: Value
  /**
   * Text that does not belong where it is; null for none.
   *
   *   > <tool_call>Sure!
   *                     ^   `Sure!`
   */
  dropped: { readonly anchor: Anchor; end: number } | null
  /** After a stop: the marker of a call whose name is being collected; null for none. */
  lateCall: { readonly start: number; readonly marker: string } | null
  /** Of an open body, value or thought: how far snapshots have read it as what it is if the reply ends here. */
  asEnded: Reading | null
  /** What was emitted since the last push; null for nothing. */
  events: ReplyEvent[] | null
}

export function newContext(given: Omit<ReadingContext, 'heads' | 'seenName'>): ReadingContext {
  const { compiled, schemas, examined, finish } = given
  return { compiled, schemas, examined, finish, heads: [], seenName: { text: null, read: null } }
}

/** A reading before the first character. */
export function newReading(state: CompiledState, context: ReadingContext): Reading {
  return {
    context,
    input: { text: '', base: 0, at: 0, look: 0, isEnd: false },
    state,
    entry: { start: 0, marker: '' },
    marker: '',
    collected: '',
    call: null,
    json: newJsonWatch(),
    prose: { space: '', hasText: false, channel: null, fence: null, shown: null, calls: null, run: null },
    quote: { line: '', span: 0, run: 0, fence: false, shown: null },
    body: { phase: 'before', found: null, python: null, unfinished: null },
    value: { form: null, passed: 0, callEnd: null, isNeverClosed: false },
    dropped: null,
    lateCall: null,
    asEnded: null,
    events: null,
  }
}

/** An independent copy, without the events. */
export function copyOfReading(reading: Reading): Reading {
  const { call, dropped, asEnded, prose, body } = reading
  return {
    ...reading,
    input: { ...reading.input },
    entry: { ...reading.entry },
    call:
      call === null
        ? null
        : { ...call, anchor: { ...call.anchor }, keys: call.keys === null ? null : new Set(call.keys) },
    json: { ...reading.json },
    prose: { ...prose, shown: prose.shown === null ? null : [...prose.shown] },
    quote: { ...reading.quote },
    body: { ...body, python: body.python === null ? null : { ...body.python } },
    value: { ...reading.value },
    dropped: dropped === null ? null : { anchor: { ...dropped.anchor }, end: dropped.end },
    asEnded: asEnded === null ? null : { ...copyOfReading(asEnded), events: asEnded.events && [...asEnded.events] },
    events: null,
  }
}

export function enter(reading: Reading, state: CompiledState): void {
  const { input, json, prose, body, value } = reading
  reading.state = state
  reading.marker = ''
  reading.asEnded = null
  input.look = input.at
  json.depth = 0
  json.isInString = false
  json.isEscaped = false
  prose.space = ''
  prose.hasText = false
  prose.channel = null
  prose.fence = null
  prose.shown = null
  prose.calls = null
  body.phase = 'before'
  body.found = null
  body.python = null
  value.form = null
  value.passed = 0
  value.callEnd = null
}

/** The state of a name that the grammar or one of its functions gives. */
export function stateNamed(states: CompiledGrammar['states'], name: string): CompiledState {
  const state = states.get(name)
  if (state === undefined) throw new Error(`callspec: a grammar led to "${name}", no state of it`)
  return state
}

/** Where in the reply reading goes on. */
export function offsetOf({ input }: Reading): number {
  return input.base + input.at
}

/** Passes over the text up to `end`. */
export function pass({ input }: Reading, end: number): void {
  input.at = end
  if (input.look < end) input.look = end
}

/** Goes back to `offset`. `collected` is the text before the present place, which `dropRead` may have dropped from the input. */
export function rewind({ input }: Reading, offset: number, collected: string): void {
  const { text, at, base } = input
  if (offset >= base) input.at = offset - base
  else {
    input.text = collected.slice(collected.length - (base + at - offset)) + text.slice(at)
    input.base = offset
    input.at = 0
  }
}

/** Drops what was read, except for what issues may quote. */
export function dropRead(reading: Reading): void {
  const { input, call, dropped, value } = reading
  const { text, at } = input
  if (at === 0) return
  if (call !== null && call.anchor.head.length <= QUOTED) call.anchor.head = quoteFrom(reading, call.anchor)
  if (dropped !== null) dropped.anchor.head = quoteFrom(reading, dropped.anchor)
  input.text = text.slice(at)
  input.base += at
  input.look -= at
  input.at = 0
  if (value.passed > 0) value.passed = Math.max(0, value.passed - at)
}

export function emit(reading: Reading, event: ReplyEvent): void {
  const { events } = reading
  watchEvent(reading.quote, event)
  // A chunk of a stream usually has one event: a list that is made to grow would take ten times the memory.
  if (events === null) reading.events = [event]
  else events.push(event)
}

/** The text after an anchor, as far as it was read and an issue quotes it. */
export function quoteFrom({ input }: Reading, { start, head }: Anchor): string {
  // One more than is quoted, so that a longer text differs from one of that length.
  const wanted = QUOTED + 1 - head.length
  if (wanted <= 0) return head
  const from = start + head.length - input.base
  return head + input.text.slice(from, Math.min(input.at, from + wanted))
}

/** Emits an issue about the text from a place up to here. */
export function addIssue(
  reading: Reading,
  { start, head }: { readonly start: number; readonly head: string },
  code: GrammarIssueCode,
  detail?: string,
): void {
  const end = offsetOf(reading)
  emit(reading, grammarIssue(code, { start, end, head: head.slice(0, end - start) }, detail))
}

/** Emits an issue about a marker at an offset of the reply. */
export function addIssueAtMarker(
  reading: Reading,
  code: GrammarIssueCode,
  { start, marker }: { readonly start: number; readonly marker: string },
): void {
  emit(reading, grammarIssue(code, { start, end: start + marker.length, head: marker }))
}

/** More than an issue quotes. */
export const QUOTED_MOST = 100
