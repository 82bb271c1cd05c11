import type { ReplyEvent } from '../reply/event.ts'
import type { IssueItem } from '../reply/item.ts'
import type { BodyCall, ReadHead, ReadName } from './grammar.ts'
import type { CompiledGrammar, CompiledState } from './compile.ts'
import type { JsonKind } from './json-scan.ts'
import type { JsonWatch } from './json-watch.ts'
import { newJsonWatch } from './json-watch.ts'
import { QUOTED } from './issues.ts'
import type { PythonWatch } from './python-watch.ts'
import type { Schemas } from './schemas.ts'

/** What is the same from the first character of a reply to its last. */
export interface ReadingContext {
  readonly compiled: CompiledGrammar
  readonly schemas: Schemas
  /** Is told how many characters were looked at. */
  readonly examined: (characters: number) => void
  /** Reads on to the end of the reply. */
  readonly finish: (reading: Reading) => void
  /** The heads that were read last. */
  readonly heads: SeenHead[]
  /** The name that was read last, as it is written, and what it says; null for no name. */
  readonly seenName: { text: string | null; read: ReadName | null }
}

/** A context in which nothing was read yet. */
export function newContext(
  given: Pick<ReadingContext, 'compiled' | 'schemas' | 'examined' | 'finish'>,
): ReadingContext {
  const { compiled, schemas, examined, finish } = given
  return { compiled, schemas, examined, finish, heads: [], seenName: { text: null, read: null } }
}

/** A head, where it stood, and what it says. */
export interface SeenHead {
  readonly text: string
  readonly marker: string
  readonly state: string
  readonly head: ReadHead | null
}

/**
 * A place in the reply, with as much of the text behind it as an issue quotes and `Reading.text` has no longer: `headOf`
 * gives all of it.
 */
export interface Anchor {
  readonly start: number
  head: string
}

/** A call that has begun. */
export interface OpenCall {
  readonly anchor: Anchor
  name: string
  id: string | null
  /** Whether its arguments are free text. */
  isFree: boolean
  /** Whether it was told; a call without a name never is. */
  isTold: boolean
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
  /** The arguments so far. It grows at its end only, and nobody looks into it: then growing does not copy. */
  json: string
  /** The JSON value that so much of the arguments was read as, where that was done at once. */
  whole: { readonly length: number; readonly kind: JsonKind; readonly hasUnseen: boolean } | null
}

/** How far the body of calls has come. */
export type BodyPhase =
  // > functools [{"name": "f", "arguments": {}}]
  //            ^                                   white space may stand before its bracket
  | 'before'
  // > functools[{"name": "f", "argu
  //             ^                     in its JSON
  | 'inside'
  // > {"name": "f", "parameters": {}}
  //                                  ^   where it counts only if nothing follows
  | 'behind'
  // > <tool_call>clock</tool_call>
  //                   ^              no JSON: it is dropped
  | 'unreadable'

/** Calls in a thought. */
export interface DraftRun {
  /** Where in the reply they begin. */
  readonly start: number
  /** The last of the calls before them that is whole, and where its run begins; null for none. */
  readonly whole: { readonly name: string; readonly start: number } | null
}

/** How far a reply has been read. */
export interface Reading {
  readonly context: ReadingContext
  /** Whether no more text comes. */
  isEnd: boolean
  state: CompiledState
  /**
   * The end of what has come: what is not decided yet, and before it what the present push has read. Reading moves a place
   * in it instead of cutting it, which would cost more than most steps do.
   */
  text: string
  /** Where `text` begins in the reply. */
  base: number
  /** Where in `text` begins what is not decided yet. */
  at: number
  /** Where in `text` the search goes on: before it no marker begins. */
  look: number
  /**
   * Where in `text` the white space behind a marker that may end a value has been passed; 0 for no such marker.
   *
   *   > <parameter=k>v</parameter>  
   *                                 ^   what follows decides whether the marker counts
   */
  passed: number
  /**
   * What was gathered of a name, a key, a value or a body; grows like the arguments.
   *
   *   > <function=get_wea
   *                      ^   `get_wea`
   */
  gathered: string
  /**
   * White space at the edge of a text, of which nobody knows yet whether it belongs to it.
   *
   *   > Let me look.\n\n
   *                     ^   two line feeds
   */
  space: string
  /** Whether the present text has begun. */
  hasText: boolean
  call: OpenCall | null
  /** Where the last marker stands that led from one state to another, and which one it is. */
  entryStart: number
  entryMarker: string
  watch: JsonWatch
  /** Of a body in Python: where its text stands; null before its first character. */
  python: PythonWatch | null
  /** Of a JSON body of calls: how far it has been read. */
  phase: BodyPhase
  /** The calls of that body, where they were found before it was followed. */
  found: readonly BodyCall[] | null
  /** Of a body of calls, a value or a thought that is open: how far snapshots have read it as what it is should the reply end. */
  asText: Reading | null
  /** Of a value: where in the reply the end of its call is that stands in it first; null for none. */
  gap: number | null
  /** Whether a value was never closed: no later one is, so that the end of a call ends each. */
  hasGaps: boolean
  /** Of a text: where in the reply the fence of code begins that is open; null for none. From there on it is gathered. */
  fence: number | null
  /** Of a text: the calls that its code shows; null for none. */
  shown: IssueItem[] | null
  /** Of a thought: where in the reply the first marker of calls stands in it; null for none. From there on it is gathered. */
  draft: number | null
  /** Of the second reading of a thought: its last calls with only white space between them; null for any other reading. */
  run: DraftRun | null
  /** Of arguments that may be any text: what they began as; null before their first character. */
  form: 'json' | 'code' | 'plain' | null
  /** After a stop: the marker of a call of which the name is being gathered; null for none. */
  late: { readonly start: number; readonly marker: string } | null
  /** The marker by which the present state was entered; empty where none was. */
  marker: string
  /**
   * The first body of calls that had not ended when the reply did, and so became text.
   *
   *   > functools[{"name": "f"
   *                           ^
   */
  unfinished: Anchor | null
  /**
   * Text that does not belong where it stands; null for none.
   *
   *   > <tool_call>Sure!
   *                     ^   `Sure!`
   */
  stray: { readonly anchor: Anchor; end: number } | null
  /** The channel of the present text; null for none. */
  channel: string | null
  /** What there is to say; null for nothing. */
  events: ReplyEvent[] | null
}

/** A reading before the first character. */
export function newReading(state: CompiledState, context: ReadingContext): Reading {
  return {
    context,
    isEnd: false,
    state,
    text: '',
    base: 0,
    at: 0,
    look: 0,
    passed: 0,
    gathered: '',
    space: '',
    hasText: false,
    call: null,
    entryStart: 0,
    entryMarker: '',
    watch: newJsonWatch(),
    python: null,
    phase: 'before',
    found: null,
    asText: null,
    gap: null,
    hasGaps: false,
    fence: null,
    shown: null,
    draft: null,
    run: null,
    form: null,
    late: null,
    marker: '',
    unfinished: null,
    stray: null,
    channel: null,
    events: null,
  }
}

/** A call that begins at an offset. */
export function newCall(start: number): OpenCall {
  return {
    anchor: { start, head: '' },
    name: '',
    id: null,
    isFree: false,
    isTold: false,
    members: 0,
    key: null,
    keys: null,
    opener: '',
    json: '',
    whole: null,
  }
}

/** A copy that goes its own way, without the events. */
export function copyOfReading(reading: Reading): Reading {
  const { call, stray, python, asText, shown } = reading
  return {
    ...reading,
    watch: { ...reading.watch },
    python: python === null ? null : { ...python },
    shown: shown === null ? null : [...shown],
    call: call === null ? null : { ...call, anchor: { ...call.anchor }, keys: copyOfKeys(call) },
    stray: stray === null ? null : { anchor: { ...stray.anchor }, end: stray.end },
    asText: asText === null ? null : { ...copyOfReading(asText), events: asText.events && [...asText.events] },
    events: null,
  }
}

function copyOfKeys({ keys }: OpenCall): Set<string> | null {
  return keys === null ? null : new Set(keys)
}

/** Where in the reply reading goes on. */
export function offsetOf({ base, at }: Reading): number {
  return base + at
}

/** Says something, once. */
export function tell(reading: Reading, event: ReplyEvent): void {
  const { events } = reading
  // A chunk of a stream has one event at most, as a rule: a list that is made to grow would take ten times the memory.
  if (events === null) reading.events = [event]
  else events.push(event)
}

/** Goes on in another state. */
export function enter(reading: Reading, state: CompiledState): void {
  const { watch } = reading
  reading.state = state
  reading.look = reading.at
  reading.passed = 0
  reading.space = ''
  reading.hasText = false
  watch.depth = 0
  watch.isInString = false
  watch.isEscaped = false
  reading.python = null
  reading.phase = 'before'
  reading.found = null
  reading.asText = null
  reading.gap = null
  reading.fence = null
  reading.shown = null
  reading.draft = null
  reading.form = null
  reading.marker = ''
  reading.channel = null
}

/** Passes over the text up to `end`. */
export function pass(reading: Reading, end: number): void {
  reading.at = end
  if (reading.look < end) reading.look = end
}

/** The state of a name that the grammar or its code gives. */
export function stateNamed(states: CompiledGrammar['states'], name: string): CompiledState {
  const state = states.get(name)
  if (state === undefined) throw new Error(`callspec: a grammar led to "${name}", no state of it`)
  return state
}

/** The text behind an anchor, as far as it was read and an issue quotes it. */
export function headOf({ text, base, at }: Reading, { start, head }: Anchor): string {
  // One more than is quoted, so that a longer text can be told from one of that length.
  const wanted = QUOTED + 1 - head.length
  if (wanted <= 0) return head
  const from = start + head.length - base
  return head + text.slice(from, Math.min(at, from + wanted))
}

/** Lets go of what was read, but for what issues may quote. */
export function dropRead(reading: Reading): void {
  const { text, at, call, stray } = reading
  if (at === 0) return
  if (call !== null && call.anchor.head.length <= QUOTED) call.anchor.head = headOf(reading, call.anchor)
  if (stray !== null) stray.anchor.head = headOf(reading, stray.anchor)
  reading.text = text.slice(at)
  reading.base += at
  reading.look -= at
  reading.passed = Math.max(0, reading.passed - at)
  reading.at = 0
}

/** More than an issue quotes. */
export const QUOTED_MOST = 100
