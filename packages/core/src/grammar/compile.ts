import { markerScanner } from '../stream/marker-scanner.ts'
import type { MarkerScanner } from '../stream/marker-scanner.ts'
import type { Exit, Grammar, GrammarState, StateKind } from './grammar.ts'

/** An exit with everything said. */
export interface CompiledExit {
  readonly to: string
  readonly opens: boolean
  readonly closes: boolean
  /** Of an exit of a `value`: one of these must stand behind the marker, or the end of the reply. Null: nothing need. */
  readonly followers: readonly string[] | null
  /** Whether the marker is a stop token that ends the reply. */
  readonly isStop: boolean
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
  const states = new Map(given.map(([name, state]) => [name, compileState(name, state, grammar)]))
  for (const state of states.values()) checkTargets(state, names)
  return { grammar, states, hasValues: given.some(([, { is }]) => is === 'value') }
}

function compileState(name: string, state: GrammarState, grammar: Grammar): CompiledState {
  const exits = new Map<string, CompiledExit>()
  for (const [marker, exit] of Object.entries(state.until)) exits.set(marker, compileExit(exit, state, grammar))
  if (name !== AFTER_STOP && TAKES_STOPS.has(state.is)) {
    for (const stop of grammar.stops)
      exits.set(stop, { to: AFTER_STOP, opens: false, closes: false, followers: null, isStop: true })
  }
  const markers = [...exits.keys()]
  return { name, is: state.is, exits, markers, scanner: markerScanner(markers), state }
}

/** Inside a call a stop token may be part of a value. */
const TAKES_STOPS: ReadonlySet<StateKind> = new Set<StateKind>(['text', 'reasoning', 'nothing'])

function compileExit(exit: Exit, state: GrammarState, grammar: Grammar): CompiledExit {
  const { to, opens = false, closes = false } = typeof exit === 'string' ? { to: exit } : exit
  const target = grammar.states[to]
  const followers = state.is === 'value' && target?.is === 'nothing' ? Object.keys(target.until) : null
  return { to, opens, closes, followers, isStop: false }
}

function checkTargets({ name, exits, state }: CompiledState, names: ReadonlySet<string>): void {
  const targets = [...[...exits.values()].map(({ to }) => to), state.next, state.otherwise]
  for (const target of targets)
    if (target !== undefined && !names.has(target))
      throw new Error(`callspec: "${name}" leads to "${target}", no state`)
}
