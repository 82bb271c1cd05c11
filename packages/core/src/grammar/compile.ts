import type { MarkerScanner } from './marker-scanner.ts'
import { markerScanner } from './marker-scanner.ts'
import { jsonUnits, quotedMarks } from './follow.ts'
import type { JsonUnits, QuotedMarks } from './follow.ts'
import type { AnyState, Grammar, PythonForm, StateKind, Transition } from './grammar.ts'

/** What a marker does, with every default filled in. */
export interface CompiledTransition {
  readonly to: CompiledState
  readonly opens: boolean
  readonly closes: boolean
  readonly interrupts: boolean
  /** One of these must follow the marker, or the end of the reply. Null: anything may. */
  readonly followers: readonly string[] | null
  readonly longestFollower: number
  readonly issue: 'line-feeds-missing' | null
  /**
   * - `marker`: it ends the state
   * - `stop`: a stop token, which ends the reply
   * - `stray`: a marker of calls that means nothing here; it is text, and reported
   * - `call-end`: the end of a call inside a value; it is text unless the value is never closed
   * - `call-start`: the beginning of a call in a thought, of which it is part unless the thought is never closed
   * - `fence`: of code in a text, which may show a call
   * - `late`: after a stop, a marker that begins a call (`opens`) or ends its name
   */
  readonly meaning: 'marker' | 'stop' | 'stray' | 'call-end' | 'call-start' | 'fence' | 'late'
}

/**
 * How the end of a state is found.
 *
 * - `marker`: at the next marker
 * - `first`: a marker must be the first thing but white space, else the fallback is entered
 * - `value`, `json-body`, `python-body`: by following strings and brackets
 */
export type StateScan = 'marker' | 'first' | 'value' | 'json-body' | 'python-body'

/** A state with its links resolved. */
export interface CompiledState {
  readonly name: string
  readonly kind: StateKind
  readonly scan: StateScan
  readonly transitions: ReadonlyMap<string, CompiledTransition>
  readonly scanner: MarkerScanner
  readonly markers: readonly string[]
  /** What characters mean if the state is JSON. */
  readonly units: JsonUnits
  /** What ends Python: the markers, and the tokens that end a reply. */
  readonly pythonEnds: readonly string[]
  readonly next: CompiledState | null
  readonly fallback: CompiledState | null
  /** Of a thought whose markers of calls are followed: the state after its closing tag. */
  readonly afterThought: CompiledState | null
  readonly bodyStart: '[' | '{' | null
  readonly mustEndReply: boolean
  readonly python: PythonForm
  readonly isToken: boolean
  readonly isTrimmed: boolean
  readonly callsCount: boolean
  /** Of a value whose strings have marks of their own. */
  readonly quotedMarks: QuotedMarks | null
  readonly nextKey: RegExp | null
  readonly isWholeText: boolean
  readonly anyText: boolean
  readonly mayBeTruncated: boolean | 'maybe'
}

/** A grammar prepared for reading: what need not be computed for every reply. */
export interface CompiledGrammar {
  readonly grammar: Given<Grammar>
  readonly states: ReadonlyMap<string, CompiledState>
  /** Whether arguments are made of keys and values. */
  readonly hasValues: boolean
}

/** The same with undefined for what is absent, so that all have one shape. */
type Given<Type> = { readonly [Key in keyof Required<Type>]: Type[Key] }

/** The state of everything that follows a stop token. */
export const AFTER_STOP = 'after-stop'

/**
 * Prepares a grammar.
 *
 * @throws Error for a grammar that contradicts itself: a state that does not exist, or ambiguous markers
 */
export function compileGrammar(grammar: Grammar): CompiledGrammar {
  const given: readonly (readonly [string, AnyState])[] = [
    ...Object.entries(grammar.states),
    [AFTER_STOP, { kind: 'nothing', transitions: {} }],
  ]
  const strays = strayMarkers(grammar)
  const states = new Map<string, Linking>()
  for (const [name, state] of given) states.set(name, unlinkedState(name, state, { grammar, strays }))
  const target = (from: string, to: string): Linking => {
    const found = states.get(to)
    if (found === undefined) throw new Error(`callspec: "${from}" leads to "${to}", no state`)
    return found
  }
  for (const [name, state] of given) linkState(target(name, name), state, { grammar, target: (to) => target(name, to) })
  return { grammar: withAllMembers(grammar), states, hasValues: given.some(([, { kind }]) => kind === 'value') }
}

function withAllMembers(given: Grammar): CompiledGrammar['grammar'] {
  const { start, thought, thinking, states, stops, callsAfterStop, common } = given
  const { readHead, readName, readKey, typeValue, readArguments, hasIds, readCalls } = given
  const table = { start, thought, thinking, states, stops, callsAfterStop, common }
  return { ...table, readHead, readName, readKey, typeValue, readArguments, hasIds, readCalls }
}

interface Linking extends CompiledState {
  readonly transitions: Map<string, CompiledTransition>
  next: CompiledState | null
  fallback: CompiledState | null
  afterThought: CompiledState | null
}

interface Whole {
  readonly grammar: Grammar
  readonly strays: readonly string[]
}

function unlinkedState(name: string, state: AnyState, { grammar, strays }: Whole): Linking {
  const found = new Set(Object.keys(state.transitions))
  if (name !== AFTER_STOP && takesStops(state)) for (const stop of grammar.stops) found.add(stop)
  if (name === AFTER_STOP) for (const marker of lateMarkers(grammar).keys()) found.add(marker)
  for (const marker of callEnds(state, grammar).keys()) found.add(marker)
  for (const marker of callStarts(state, grammar).keys()) if (isDistinct(marker, found)) found.add(marker)
  if (mayShowCalls(state, grammar) && isDistinct(FENCE, found)) found.add(FENCE)
  if (state.kind === 'text') for (const stray of strays) if (isDistinct(stray, found)) found.add(stray)
  const markers = [...found]
  const isBody = state.kind === 'calls'
  return {
    name,
    kind: state.kind,
    scan: scanOf(state),
    transitions: new Map(),
    scanner: markerScanner(markers),
    markers,
    // A body with a fallback becomes text, and the text has markers of its own.
    units: jsonUnits(isBody && state.fallback !== undefined ? [] : markers, { isOnlyJson: isBody }),
    pythonEnds: [...markers, ...grammar.stops],
    next: null,
    fallback: null,
    afterThought: null,
    bodyStart: state.bodyStart ?? null,
    mustEndReply: state.mustEndReply === true,
    python: state.python ?? 'list',
    isToken: state.isToken === true,
    isTrimmed: state.isTrimmed === true,
    callsCount: state.callsCount === true,
    quotedMarks: state.quote === undefined ? null : quotedMarks(state.quote, markers),
    nextKey: state.nextKey ?? null,
    isWholeText: state.isWholeText === true,
    anyText: state.anyText === true,
    mayBeTruncated: state.mayBeTruncated ?? false,
  }
}

function scanOf({ kind, fallback, isRaw, python, bodyStart, quote }: AnyState): StateScan {
  if (kind === 'nothing' && fallback !== undefined) return 'first'
  if (kind === 'json' && isRaw !== true) return 'value'
  if (kind === 'value' && quote !== undefined) return 'value'
  if (kind === 'calls' && python !== undefined) return 'python-body'
  return kind === 'calls' && bodyStart !== undefined ? 'json-body' : 'marker'
}

interface Links {
  readonly grammar: Grammar
  readonly target: (to: string) => CompiledState
}

function linkState(linking: Linking, state: AnyState, { grammar, target }: Links): void {
  const { markers, transitions, name } = linking
  const ends = callEnds(state, grammar)
  const starts = callStarts(state, grammar)
  const late = name === AFTER_STOP ? lateMarkers(grammar) : null
  const [first] = Object.values(state.transitions)
  for (const marker of markers) {
    const given = state.transitions[marker]
    if (late?.has(marker) === true)
      transitions.set(marker, { ...added(target(name), 'late'), opens: late.get(marker) === true })
    else if (given !== undefined) transitions.set(marker, ownTransition(given, state, { grammar, target }))
    else if (marker === FENCE && mayShowCalls(state, grammar)) transitions.set(marker, added(target(name), 'fence'))
    // It leads where the closing marker of the value does, and is read again there.
    else if (ends.has(marker) && first !== undefined)
      transitions.set(marker, added(target(targetOf(first)), 'call-end', ends.get(marker)))
    else if (grammar.stops.includes(marker) && takesStops(state))
      transitions.set(marker, added(target(AFTER_STOP), 'stop'))
    else if (starts.has(marker)) transitions.set(marker, added(target(name), 'call-start', starts.get(marker)))
    else transitions.set(marker, added(target(name), 'stray'))
  }
  if (starts.size > 0 && first !== undefined) linking.afterThought = target(targetOf(first))
  if (state.next !== undefined) linking.next = target(state.next)
  if (state.fallback !== undefined) linking.fallback = target(state.fallback)
}

function targetOf(transition: Transition): string {
  return typeof transition === 'string' ? transition : transition.to
}

function ownTransition(given: Transition, state: AnyState, { grammar, target }: Links): CompiledTransition {
  const {
    to,
    opens = false,
    closes = false,
    interrupts = false,
    followedBy = null,
    issue = null,
  } = typeof given === 'string' ? { to: given } : given
  const next = grammar.states[to]
  // If strings have marks of their own, there is no doubt about the end of a value.
  const isDoubtful = state.kind === 'value' && state.quote === undefined
  const followers = isDoubtful && next?.kind === 'nothing' ? Object.keys(next.transitions) : followedBy
  const meaning = to === AFTER_STOP ? 'stop' : 'marker'
  return { ...added(target(to), meaning, followers), opens, closes, interrupts, issue }
}

function added(
  to: CompiledState,
  meaning: CompiledTransition['meaning'],
  followers: readonly string[] | null = null,
): CompiledTransition {
  const longestFollower = Math.max(0, ...(followers ?? []).map((each) => each.length))
  return { to, opens: false, closes: false, interrupts: false, followers, longestFollower, issue: null, meaning }
}

/** Markers, and what must follow each of them; null for anything. */
type Followers = ReadonlyMap<string, readonly string[] | null>

/**
 * Of a value that a marker ends: the markers that end its call. Empty if the grammar does not say how the next key looks.
 *
 *   > <parameter=k>v</function></tool_call>
 *                   ^                         followed by that, the value may lack its closing tag
 */
function callEnds({ kind, transitions, nextKey }: AnyState, { states }: Grammar): Followers {
  if (kind !== 'value' || nextKey === undefined) return NO_MARKERS
  const ends = new Map<string, readonly string[] | null>()
  for (const transition of Object.values(transitions)) {
    for (const [marker, after] of Object.entries(states[targetOf(transition)]?.transitions ?? {})) {
      if (typeof after === 'string' || (after.closes !== true && after.interrupts !== true)) continue
      const next = states[after.to]
      ends.set(marker, next?.kind === 'nothing' ? Object.keys(next.transitions) : null)
    }
  }
  return ends
}

const NO_MARKERS: Followers = new Map()

/**
 * After a stop, if calls there are reported: the markers that begin a call in a text (true), and those that end its name (false).
 *
 *   > ✿RESULT✿: 12:00\n✿FUNCTION✿: f\n✿ARGS✿: {}
 *                      ^              ^
 */
function lateMarkers({ states, callsAfterStop }: Grammar): ReadonlyMap<string, boolean> {
  const markers = new Map<string, boolean>()
  if (callsAfterStop !== true) return markers
  const ofTexts = Object.values(states).flatMap(({ kind, transitions }) =>
    kind === 'text' ? Object.entries(transitions) : [],
  )
  const opening = ofTexts.filter(([, transition]) => typeof transition !== 'string' && transition.opens === true)
  for (const [, transition] of opening) {
    const named = states[targetOf(transition)]
    if (named?.kind === 'name') for (const marker of Object.keys(named.transitions)) markers.set(marker, false)
  }
  for (const [marker] of opening) markers.set(marker, true)
  return markers
}

const FENCE = '```'

/** Whether code in a text may show a call: if calls are JSON, one without its markers is known by its members. */
function mayShowCalls({ kind }: AnyState, { readCalls, states }: Grammar): boolean {
  if (kind !== 'text' || readCalls === undefined || readCalls.isAnyObject) return false
  return Object.values(states).every((state) => !('python' in state))
}

/**
 * Of a thought: the markers with which calls begin after its closing tag. Calls that need a head are left out: it would be
 * unknown which message they are in.
 *
 *   > <think>Maybe <tool_call>\n<function=f>
 *                  ^                          followed by that, it may begin a call if the thought is never closed
 */
function callStarts({ kind, transitions }: AnyState, { states }: Grammar): Followers {
  const [first] = Object.values(transitions)
  if (kind !== 'reasoning' || first === undefined) return NO_MARKERS
  const starts = new Map<string, readonly string[] | null>()
  for (const [marker, transition] of Object.entries(states[targetOf(first)]?.transitions ?? {})) {
    const next = states[targetOf(transition)]
    if (next === undefined || next === states[targetOf(first)] || OUTSIDE_CALLS.has(next.kind)) continue
    // A state with a fallback may be the beginning of another thought.
    if (next.kind === 'nothing' && next.fallback !== undefined) continue
    const given = typeof transition === 'string' ? null : (transition.followedBy ?? null)
    starts.set(marker, given ?? (next.kind === 'nothing' ? Object.keys(next.transitions) : null))
  }
  return starts
}

const OUTSIDE_CALLS: ReadonlySet<StateKind> = new Set<StateKind>(['text', 'reasoning', 'head'])

/** Markers of calls: in prose they are most likely the rest of a call. A single character is not a marker by itself. */
function strayMarkers({ states, common = [] }: Grammar): readonly string[] {
  const all: readonly AnyState[] = Object.values(states)
  const ofCalls = all.filter(({ kind }) => kind !== 'text' && kind !== 'reasoning')
  const known = [
    ...ofCalls.flatMap((state) => Object.keys(state.transitions)),
    ...all.flatMap(({ quote }) => quote ?? []),
  ]
  const long = known.filter((marker) => marker.length > 1 && !common.includes(marker))
  // A marker that contains another one is reported where that one is.
  return [...new Set(long)].filter(
    (marker, _, each) => !each.some((other) => other !== marker && marker.includes(other)),
  )
}

/** Whether neither marker is the beginning of the other. */
function isDistinct(marker: string, known: ReadonlySet<string>): boolean {
  return [...known].every((each) => !each.startsWith(marker) && !marker.startsWith(each))
}

/** Inside a call a stop token may be part of a value; it ends a body that is dropped if it is not JSON. */
function takesStops({ kind, bodyStart, fallback }: AnyState): boolean {
  return TAKES_STOPS.has(kind) || (bodyStart !== undefined && fallback === undefined)
}

const TAKES_STOPS: ReadonlySet<StateKind> = new Set<StateKind>(['text', 'reasoning', 'nothing'])
