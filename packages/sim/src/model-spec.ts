import type { SimProtocol } from './protocol.ts'
import type { Transport } from './transport.ts'

/** How much of something: a share of the turns or episodes, or so many tasks of every pass over the suite. */
export type Amount =
  { readonly kind: 'rate'; readonly rate: number } | { readonly kind: 'count'; readonly count: number }

/** A fault or a policy, and how often it occurs. */
export interface Share {
  /** An id of `FAULTS` or of `POLICIES`. */
  readonly id: string
  /** The number in brackets, for policies that take one. */
  readonly argument: number
  readonly amount: Amount
}

/** What goes wrong under one protocol, in the order in which it was declared. */
export interface Faults {
  readonly faults: readonly Share[]
  readonly policies: readonly Share[]
  /** How often a task is solved; null for always. */
  readonly skill: number | null
}

/**
 * How shares are dealt out.
 *
 * - `bernoulli`: every turn or episode is drawn by itself
 * - `quota`: so many of all episodes, exactly
 * - `stratified`: the same inside each category and language
 */
export type Mode = 'bernoulli' | 'quota' | 'stratified'

/** Two protocols whose successes hang together. */
export type Pair =
  | {
      readonly kind: 'drawn'
      readonly skills: Readonly<Partial<Record<SimProtocol, number>>>
      /** The share of episodes in which both protocols have the same draw. */
      readonly rho: number
    }
  | {
      readonly kind: 'fixed'
      readonly first: SimProtocol
      readonly second: SimProtocol
      /** Episodes that both solve, that only the first solves, that only the second solves. */
      readonly both: number
      readonly onlyFirst: number
      readonly onlySecond: number
    }

/** A simulated model. */
export interface ModelSpec {
  /** The name without what only concerns the transport, so that a broken server does not change what is said. */
  readonly identity: string
  readonly isPreset: boolean
  readonly seed: number
  readonly mode: Mode
  /** Whether every turn may be affected, or one turn of an episode. */
  readonly scope: 'turn' | 'episode'
  /** What happens where a fault would change nothing: no fault, or the next one of its class. */
  readonly noop: 'skip' | 'escalate'
  readonly byProtocol: { readonly [protocol: SimProtocol]: Faults }
  /** How far tasks differ in difficulty; 0: all are as hard. */
  readonly sigma: number
  readonly pair: Pair | null
  /** How many passes solve a task, in turn over the tasks; null: nothing fixed. */
  readonly wins: readonly number[] | null
  readonly transport: Transport
}

/** What goes wrong under a protocol. */
export function faultsUnder({ byProtocol }: Pick<ModelSpec, 'byProtocol'>, protocol: SimProtocol): Faults {
  return byProtocol[protocol] ?? NOTHING_WRONG
}

const NOTHING_WRONG: Faults = { faults: [], policies: [], skill: null }
