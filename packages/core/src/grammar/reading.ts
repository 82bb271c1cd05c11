import type { ReplyEvent } from '../reply/event.ts'
import type { JsonWatch } from './json-watch.ts'
import { newJsonWatch } from './json-watch.ts'
import { QUOTED } from './issues.ts'
import type { PythonWatch } from './python-watch.ts'

/** A place in the reply, with as much of the text behind it as an issue quotes. */
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
  /** Whether its name was read, well or not. */
  isNamed: boolean
  /** Values so far. */
  members: number
  /** The key whose value has not come yet; null for none. */
  key: string | null
  keys: Set<string> | null
  /** The marker before the value that is being read. */
  opener: string
  /** The arguments so far. It grows at its end only, and nobody looks into it: then growing does not copy. */
  json: string
}

/** Before the bracket of a body, in its JSON, behind its last bracket; or in what cannot be read and is dropped. */
export type BodyPhase = 'before' | 'inside' | 'behind' | 'unreadable'

/** How far a reply has been read. */
export interface Reading {
  state: string
  /** What has come and is not decided yet. */
  held: string
  /** Where `held` begins in the reply. */
  offset: number
  /** Where in `held` the search goes on: before it no marker begins. */
  look: number
  /** Where in `held` the white space behind a marker that may end a value has been passed; 0 for no such marker. */
  passed: number
  /** What was gathered of a name, a key, a value or a body; grows like the arguments. */
  gathered: string
  /** White space at the edge of a text, of which nobody knows yet whether it belongs to it. */
  space: string
  /** Whether the present text has begun. */
  hasText: boolean
  call: OpenCall | null
  /** The marker that led into the present state. */
  entry: Anchor
  watch: JsonWatch
  /** Of a body in Python: where its text stands; null before its first character. */
  python: PythonWatch | null
  /** Of a JSON body of calls: how far it has been read. */
  phase: BodyPhase
  /** The marker by which the present state was entered; empty where none was. */
  marker: string
  /** The first body of calls that had not ended when the reply did, and so became text. */
  unfinished: Anchor | null
  /** Text that does not belong where it stands; null for none. */
  stray: { readonly anchor: Anchor; end: number } | null
  /** The channel of the present text; null for none. */
  channel: string | null
  events: ReplyEvent[]
}

/** A reading before the first character. */
export function newReading(state: string): Reading {
  return {
    state,
    held: '',
    offset: 0,
    look: 0,
    passed: 0,
    gathered: '',
    space: '',
    hasText: false,
    call: null,
    entry: { start: 0, head: '' },
    watch: newJsonWatch(),
    python: null,
    phase: 'before',
    marker: '',
    unfinished: null,
    stray: null,
    channel: null,
    events: [],
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
    isNamed: false,
    members: 0,
    key: null,
    keys: null,
    opener: '',
    json: '',
  }
}

/** A copy that goes its own way, without the events. */
export function copyOfReading(reading: Reading): Reading {
  const { call, stray, python } = reading
  return {
    ...reading,
    watch: { ...reading.watch },
    python: python === null ? null : { ...python },
    call: call === null ? null : { ...call, anchor: { ...call.anchor }, keys: copyOfKeys(call) },
    stray: stray === null ? null : { anchor: { ...stray.anchor }, end: stray.end },
    events: [],
  }
}

function copyOfKeys({ keys }: OpenCall): Set<string> | null {
  return keys === null ? null : new Set(keys)
}

/** Gives an anchor what it still wants of a text that follows it. */
export function feed(anchor: Anchor, text: string): void {
  // One more than is quoted, so that a longer text can be told from one of that length.
  if (anchor.head.length <= QUOTED) anchor.head += text.slice(0, QUOTED + 1 - anchor.head.length)
}

/** Goes on in another state. */
export function enter(reading: Reading, state: string): void {
  reading.state = state
  reading.look = 0
  reading.passed = 0
  reading.space = ''
  reading.hasText = false
  reading.watch = newJsonWatch()
  reading.python = null
  reading.phase = 'before'
  reading.marker = ''
  reading.channel = null
}

/** More than an issue quotes. */
export const QUOTED_MOST = 100
