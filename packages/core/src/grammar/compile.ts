import { markerScanner } from '../stream/marker-scanner.ts'
import type { MarkerScanner } from '../stream/marker-scanner.ts'
import { jsonUnits } from './json-watch.ts'
import type { JsonUnits } from './json-watch.ts'
import type { Exit, Grammar, GrammarState, StateKind } from './grammar.ts'
import type { GrammarIssueCode } from './issues.ts'

/** An exit with everything said. */
export interface CompiledExit {
  readonly to: CompiledState
  readonly opens: boolean
  readonly closes: boolean
  readonly interrupts: boolean
  /** One of these must stand behind the marker, or the end of the reply. Null: nothing need. */
  readonly followers: readonly string[] | null
  /** The length of the longest of them. */
  readonly reach: number
  /** What the reader reports at the marker; null for nothing. */
  readonly issue: GrammarIssueCode | null
  /**
   * `stop`: a stop token, which ends the reply. `stray`: a marker of calls that means nothing here; it is text, and noted. `gap`: the
   * end of a call inside a value; it is text unless the value is never closed. `draft`: the beginning of calls in a thought, of which
   * it is part unless the thought is never closed. `fence`: of code in a text, which may show a call.
   */
  readonly meaning: 'marker' | 'stop' | 'stray' | 'gap' | 'draft' | 'fence'
}

/**
 * How the end of what stands in a state is found.
 *
 * - `begin`: only white space may stand before a marker, or else another state begins
 * - `search`: at the next marker, wherever that stands
 * - `value`, `body`, `python`: outside of strings; a value, a JSON body of calls, or one in Python
 */
export type StateWay = 'begin' | 'search' | 'value' | 'body' | 'python'

/** The same with every member, so that all have one shape: engines read members of one shape much faster. */
type Full<Given> = { readonly [Key in keyof Required<Given>]: Given[Key] }

/** A state made ready. */
export interface CompiledState {
  readonly name: string
  readonly is: StateKind
  readonly way: StateWay
  readonly exits: ReadonlyMap<string, CompiledExit>
  readonly scanner: MarkerScanner
  readonly state: Full<GrammarState>
  /** The first units of the markers: white space is never one of them where a state skips it. */
  readonly markers: readonly string[]
  /** What characters mean where the state is JSON. */
  readonly units: JsonUnits
  /** What ends Python: the markers, and the tokens that end a reply. */
  readonly pythonEnds: readonly string[]
  /** Where a value leads that needs no marker at its end. */
  readonly next: CompiledState | null
  /** What is read where the state turns out to be another one. */
  readonly otherwise: CompiledState | null
  /** Of a thought in which markers of calls are followed: what stands behind its closing tag. */
  readonly drafts: CompiledState | null
}

/** A grammar made ready: what need not be found out for every reply. */
export interface CompiledGrammar {
  readonly grammar: Full<Grammar>
  readonly states: ReadonlyMap<string, CompiledState>
  /** Whether arguments are made of keys and values. */
  readonly hasValues: boolean
}

/** The state in which everything behind a stop token is. */
export const AFTER_STOP = 'after-stop'

/**
 * Makes a grammar ready.
 *
 * @throws Error for a grammar that contradicts itself: an exit to no state, markers that cannot be told apart
 */
export function compileGrammar(grammar: Grammar): CompiledGrammar {
  const given: readonly (readonly [string, GrammarState])[] = [
    ...Object.entries(grammar.states),
    [AFTER_STOP, { is: 'nothing', until: {} }],
  ]
  const strays = strayMarkers(grammar)
  const states = new Map<string, Compiling>()
  for (const [name, state] of given) states.set(name, beginState(name, state, { grammar, strays }))
  const target = (from: string, to: string): Compiling => {
    const found = states.get(to)
    if (found === undefined) throw new Error(`callspec: "${from}" leads to "${to}", no state`)
    return found
  }
  for (const state of states.values()) linkState(state, (to) => target(state.name, to), grammar)
  return { grammar: fullGrammar(grammar), states, hasValues: given.some(([, { is }]) => is === 'value') }
}

function fullGrammar(given: Grammar): Full<Grammar> {
  const { start, thought, thinking, states, stops, common, readHead, readName, readKey, typeValue, hasIds, readCalls } =
    given
  return { start, thought, thinking, states, stops, common, readHead, readName, readKey, typeValue, hasIds, readCalls }
}

function fullState(given: GrammarState): Full<GrammarState> {
  const { is, until, next, otherwise, begins, isLast, python, isToken, isTrimmed } = given
  const { callsCount, quote, nextKey, isRaw, isWholeText, isOpen } = given
  const body = { is, until, next, otherwise, begins, isLast, python, isToken }
  return Object.assign(body, { isTrimmed, callsCount, quote, nextKey, isRaw, isWholeText, isOpen })
}

/** A state whose exits are not linked yet. */
interface Compiling extends CompiledState {
  readonly exits: Map<string, CompiledExit>
  next: CompiledState | null
  otherwise: CompiledState | null
  drafts: CompiledState | null
}

interface Whole {
  readonly grammar: Grammar
  readonly strays: readonly string[]
}

function beginState(name: string, state: GrammarState, { grammar, strays }: Whole): Compiling {
  const given = new Set(Object.keys(state.until))
  if (name !== AFTER_STOP && takesStops(state)) for (const stop of grammar.stops) given.add(stop)
  for (const marker of callEnds(state, grammar).keys()) given.add(marker)
  for (const marker of draftMarkers(state, grammar).keys()) if (canStray(marker, given)) given.add(marker)
  if (showsCalls(state, grammar) && canStray(FENCE, given)) given.add(FENCE)
  if (state.is === 'text') for (const stray of strays) if (canStray(stray, given)) given.add(stray)
  const markers = [...given]
  return {
    name,
    is: state.is,
    way: wayOf(state),
    exits: new Map(),
    scanner: markerScanner(markers),
    state: fullState(state),
    markers,
    // A body that becomes text where it is none goes on to a marker of that text.
    units: jsonUnits(state.is === 'calls' && state.otherwise !== undefined ? [] : markers, {
      isOnlyJson: state.is === 'calls',
    }),
    pythonEnds: [...markers, ...grammar.stops],
    next: null,
    otherwise: null,
    drafts: null,
  }
}

function wayOf({ is, otherwise, isRaw, python, begins, quote }: GrammarState): StateWay {
  if (is === 'nothing' && otherwise !== undefined) return 'begin'
  if (is === 'json' && isRaw !== true) return 'value'
  if (is === 'value' && quote !== undefined) return 'value'
  if (is === 'calls' && python !== undefined) return 'python'
  return is === 'calls' && begins !== undefined ? 'body' : 'search'
}

function linkState(compiling: Compiling, target: (to: string) => CompiledState, grammar: Grammar): void {
  const { state, markers, exits, name } = compiling
  const ends = callEnds(state, grammar)
  const drafts = draftMarkers(state, grammar)
  for (const marker of markers) {
    const exit = state.until[marker]
    if (exit !== undefined) exits.set(marker, compileExit(exit, { state, grammar, target }))
    else if (marker === FENCE && showsCalls(state, grammar)) exits.set(marker, plainExit(target(name), 'fence'))
    else if (ends.has(marker)) exits.set(marker, gapExit(marker, { ends, state, target }))
    else if (grammar.stops.includes(marker) && takesStops(state))
      exits.set(marker, plainExit(target(AFTER_STOP), 'stop'))
    else if (drafts.has(marker)) exits.set(marker, draftExit(target(name), drafts.get(marker) ?? null))
    else exits.set(marker, plainExit(target(name), 'stray'))
  }
  const [first] = Object.values(state.until)
  if (drafts.size > 0 && first !== undefined) compiling.drafts = target(targetOf(first))
  if (state.next !== undefined) compiling.next = target(state.next)
  if (state.otherwise !== undefined) compiling.otherwise = target(state.otherwise)
}

/**
 * Of a value that a marker ends: the markers that end its call, and what has to follow each of them for that; null for anything. None
 * where the grammar says nothing of the next key.
 *
 *   > <parameter=k>v</function></tool_call>
 *                   ^                         with this behind it, the value may have no closing tag
 */
function callEnds(
  { is, until, nextKey }: Pick<Full<GrammarState>, 'is' | 'until' | 'nextKey'> | GrammarState,
  { states }: Grammar,
): ReadonlyMap<string, readonly string[] | null> {
  if (is !== 'value' || nextKey === undefined) return NO_ENDS
  const ends = new Map<string, readonly string[] | null>()
  for (const exit of Object.values(until)) {
    for (const [marker, behind] of Object.entries(states[targetOf(exit)]?.until ?? {})) {
      if (typeof behind === 'string' || (behind.closes !== true && behind.interrupts !== true)) continue
      const next = states[behind.to]
      ends.set(marker, next?.is === 'nothing' ? Object.keys(next.until) : null)
    }
  }
  return ends
}

const NO_ENDS: ReadonlyMap<string, readonly string[] | null> = new Map()

/** Around code in a text. */
const FENCE = '```'

/** Whether code in a text may show a call: where calls are JSON, one without its markers is known by its members. */
function showsCalls({ is }: Pick<GrammarState, 'is'>, { readCalls, states }: Grammar): boolean {
  return is === 'text' && readCalls !== undefined && Object.values(states).every(({ python }) => python === undefined)
}

/**
 * Of a thought: the markers of calls behind its closing tag, and what has to follow each of them; null for anything. A call there needs
 * no head: which message it is in would be unknown.
 *
 *   > <think>Maybe <tool_call>\n<function=f>
 *                  ^                          with this behind it, it may begin a call should the thought never be closed
 */
function draftMarkers(
  { is, until }: Pick<Full<GrammarState>, 'is' | 'until'>,
  { states }: Grammar,
): ReadonlyMap<string, readonly string[] | null> {
  const [first] = Object.values(until)
  if (is !== 'reasoning' || first === undefined) return NO_ENDS
  const markers = new Map<string, readonly string[] | null>()
  for (const [marker, exit] of Object.entries(states[targetOf(first)]?.until ?? {})) {
    const next = states[targetOf(exit)]
    // A state that may turn out to be another one begins no call: it is the head of another thought.
    const isNone =
      next === undefined || NO_CALLS.has(next.is) || (next.otherwise !== undefined && next.is === 'nothing')
    if (isNone || next === states[targetOf(first)]) continue
    const given = typeof exit === 'string' ? null : (exit.before ?? null)
    markers.set(marker, given ?? (next.is === 'nothing' ? Object.keys(next.until) : null))
  }
  return markers
}

const NO_CALLS: ReadonlySet<StateKind> = new Set<StateKind>(['text', 'reasoning', 'head'])

function draftExit(to: CompiledState, followers: readonly string[] | null): CompiledExit {
  return { ...plainExit(to, 'draft'), followers, reach: longestOf(followers) }
}

function targetOf(exit: Exit): string {
  return typeof exit === 'string' ? exit : exit.to
}

/** It leads where the closing marker of the value does, and is read there. */
function gapExit(
  marker: string,
  { ends, state, target }: Pick<ExitPlace, 'state' | 'target'> & { readonly ends: ReturnType<typeof callEnds> },
): CompiledExit {
  const [first = ''] = Object.values(state.until).map(targetOf)
  const followers = ends.get(marker) ?? null
  return { ...plainExit(target(first), 'gap'), followers, reach: longestOf(followers) }
}

function longestOf(followers: readonly string[] | null): number {
  return Math.max(0, ...(followers ?? []).map((each) => each.length))
}

function plainExit(to: CompiledState, meaning: CompiledExit['meaning']): CompiledExit {
  return { to, opens: false, closes: false, interrupts: false, followers: null, reach: 0, issue: null, meaning }
}

/** Markers of calls: in prose they are most likely what is left of one. A single character is none by itself. */
function strayMarkers({ states, common = [] }: Grammar): readonly string[] {
  const exits = Object.values(states).flatMap(({ is, until }) => Object.keys(until).map((marker) => ({ is, marker })))
  const ofCalls = exits.filter(({ is }) => is !== 'text' && is !== 'reasoning').map(({ marker }) => marker)
  const known = [...ofCalls, ...Object.values(states).flatMap(({ quote }) => quote ?? [])]
  const telling = known.filter((marker) => marker.length > 1 && !common.includes(marker))
  // One that holds another one is noted where that stands.
  return [...new Set(telling)].filter((marker, _, all) => !all.some((each) => each !== marker && marker.includes(each)))
}

/** Not where one marker could be taken for the beginning of another. */
function canStray(stray: string, given: ReadonlySet<string>): boolean {
  return [...given].every((marker) => !marker.startsWith(stray) && !stray.startsWith(marker))
}

/** Inside a call a stop token may be part of a value; where a body goes on to be dropped, it ends it. */
function takesStops({ is, begins, otherwise }: GrammarState | Full<GrammarState>): boolean {
  return TAKES_STOPS.has(is) || (begins !== undefined && otherwise === undefined)
}

const TAKES_STOPS: ReadonlySet<StateKind> = new Set<StateKind>(['text', 'reasoning', 'nothing'])

interface ExitPlace {
  readonly state: Full<GrammarState>
  readonly grammar: Grammar
  readonly target: (to: string) => CompiledState
}

function compileExit(exit: Exit, { state, grammar, target }: ExitPlace): CompiledExit {
  const {
    to,
    opens = false,
    closes = false,
    interrupts = false,
    before = null,
    issue = null,
  } = typeof exit === 'string' ? { to: exit } : exit
  const next = grammar.states[to]
  // Where strings have marks of their own, an end is never in doubt.
  const isDoubtful = state.is === 'value' && state.quote === undefined
  const followers = isDoubtful && next?.is === 'nothing' ? Object.keys(next.until) : before
  return { to: target(to), opens, closes, interrupts, followers, reach: longestOf(followers), issue, meaning: 'marker' }
}
