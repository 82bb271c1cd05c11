import { markerScanner } from '../stream/marker-scanner.ts'
import type { MarkerScanner } from '../stream/marker-scanner.ts'
import type { Exit, Grammar, GrammarState, StateKind } from './grammar.ts'

/** An exit with everything said. */
export interface CompiledExit {
  readonly to: string
  readonly opens: boolean
  readonly closes: boolean
  readonly interrupts: boolean
  /** One of these must stand behind the marker, or the end of the reply. Null: nothing need. */
  readonly followers: readonly string[] | null
  /**
   * `stop`: a stop token, which ends the reply. `stray`: a marker of calls that means nothing here; it is text, and noted.
   */
  readonly meaning: 'marker' | 'stop' | 'stray'
}

/** A state made ready. */
export interface CompiledState {
  readonly name: string
  readonly is: StateKind
  readonly exits: ReadonlyMap<string, CompiledExit>
  readonly scanner: MarkerScanner
  readonly state: GrammarState
  /** The first units of the markers: white space is never one of them where a state skips it. */
  readonly markers: readonly string[]
}

/** A grammar made ready: what need not be found out for every reply. */
export interface CompiledGrammar {
  readonly grammar: Grammar
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
  const names = new Set(given.map(([name]) => name))
  const strays = strayMarkers(grammar)
  const states = new Map(given.map(([name, state]) => [name, compileState(name, state, { grammar, strays })]))
  for (const state of states.values()) checkTargets(state, names)
  return { grammar, states, hasValues: given.some(([, { is }]) => is === 'value') }
}

interface Whole {
  readonly grammar: Grammar
  readonly strays: readonly string[]
}

function compileState(name: string, state: GrammarState, { grammar, strays }: Whole): CompiledState {
  const exits = new Map<string, CompiledExit>()
  for (const [marker, exit] of Object.entries(state.until)) exits.set(marker, compileExit(exit, state, grammar))
  if (name !== AFTER_STOP && takesStops(state)) {
    for (const stop of grammar.stops.filter((each) => !exits.has(each)))
      exits.set(stop, {
        to: AFTER_STOP,
        opens: false,
        closes: false,
        interrupts: false,
        followers: null,
        meaning: 'stop',
      })
  }
  if (state.is === 'text') for (const stray of strays) if (canStray(stray, exits)) exits.set(stray, strayIn(name))
  const markers = [...exits.keys()]
  return { name, is: state.is, exits, markers, scanner: markerScanner(markers), state }
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
function canStray(stray: string, exits: ReadonlyMap<string, CompiledExit>): boolean {
  return [...exits.keys()].every((marker) => !marker.startsWith(stray) && !stray.startsWith(marker))
}

function strayIn(state: string): CompiledExit {
  return { to: state, opens: false, closes: false, interrupts: false, followers: null, meaning: 'stray' }
}

/** Inside a call a stop token may be part of a value; where a body goes on to be dropped, it ends it. */
function takesStops({ is, begins, otherwise }: GrammarState): boolean {
  return TAKES_STOPS.has(is) || (begins !== undefined && otherwise === undefined)
}

const TAKES_STOPS: ReadonlySet<StateKind> = new Set<StateKind>(['text', 'reasoning', 'nothing'])

function compileExit(exit: Exit, state: GrammarState, grammar: Grammar): CompiledExit {
  const {
    to,
    opens = false,
    closes = false,
    interrupts = false,
    before = null,
  } = typeof exit === 'string' ? { to: exit } : exit
  const target = grammar.states[to]
  // Where strings have marks of their own, an end is never in doubt.
  const isDoubtful = state.is === 'value' && state.quote === undefined
  const followers = isDoubtful && target?.is === 'nothing' ? Object.keys(target.until) : before
  return { to, opens, closes, interrupts, followers, meaning: 'marker' }
}

function checkTargets({ name, exits, state }: CompiledState, names: ReadonlySet<string>): void {
  const targets = [...[...exits.values()].map(({ to }) => to), state.next, state.otherwise]
  for (const target of targets)
    if (target !== undefined && !names.has(target))
      throw new Error(`callspec: "${name}" leads to "${target}", no state`)
}
