import type { SimFormat } from './spoken-formats.ts'
import { SPOKEN } from './spoken-formats.ts'
import type { Reference } from './reference.ts'
import type { Transport } from './transport.ts'

/** An amount: a share of the turns or episodes, or a number of tasks of every pass over the suite. */
type Amount = { readonly kind: 'rate'; readonly rate: number } | { readonly kind: 'count'; readonly count: number }

/** A fault or a policy, and how often it occurs. */
export interface Share {
  /** An id of `FAULTS` or of `POLICIES`. */
  readonly id: string
  /** The number in brackets, for policies that take one. */
  readonly argument: number
  readonly amount: Amount
}

/** The faults and policies under one format, in the order of their declaration. */
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

/** Two formats whose successes correlate. */
export type PairedOutcome =
  | {
      readonly kind: 'drawn'
      readonly skills: Readonly<Partial<Record<SimFormat, number>>>
      /** The share of episodes in which both formats have the same draw. */
      readonly rho: number
    }
  | {
      readonly kind: 'fixed'
      readonly first: SimFormat
      readonly second: SimFormat
      /** Episodes that both solve, that only the first solves, that only the second solves. */
      readonly both: number
      readonly onlyFirst: number
      readonly onlySecond: number
    }

/** A simulated model. */
export interface ModelSpec {
  /** The name without its transport, so that a broken server does not change the replies. */
  readonly identity: string
  readonly isPreset: boolean
  readonly seed: number
  readonly mode: Mode
  /** Whether every turn may be affected, or one turn of an episode. */
  readonly scope: 'turn' | 'episode'
  /** The behaviour for a fault that would change nothing: no fault, or the next one of its class. */
  readonly noop: 'skip' | 'escalate'
  readonly byFormat: { readonly [format: SimFormat]: Faults }
  /** How much tasks differ in difficulty; 0: all are equally hard. */
  readonly sigma: number
  readonly pair: PairedOutcome | null
  /** How many passes solve a task, in turn over the tasks; null if no number is fixed. */
  readonly wins: readonly number[] | null
  readonly transport: Transport
}

export function faultsUnder({ byFormat }: Pick<ModelSpec, 'byFormat'>, format: SimFormat): Faults {
  return byFormat[format] ?? NOTHING_WRONG
}

const NOTHING_WRONG: Faults = { faults: [], policies: [], skill: null }

/** One task in one pass over the suite: what quotas count. */
export interface EpisodeId {
  readonly reference: Reference
  readonly sample: number
}

/** The passes of a run: pass k sends seed + k. Known only if they were given. */
export interface Passes {
  readonly seed: number
  readonly repeat: number
}

/** The episodes that share a quota with a sample: those of all passes, or of this pass alone where the others are not known. */
export function episodesAround(
  references: readonly Reference[],
  { sample, passes }: { readonly sample: number; readonly passes: Passes | null },
): readonly EpisodeId[] {
  const samples =
    passes !== null && isKnown(passes, sample)
      ? Array.from({ length: passes.repeat }, (_, pass) => passes.seed + pass)
      : [sample]
  return samples.flatMap((each) => references.map((reference) => ({ reference, sample: each })))
}

/** Whether a sample is one of the passes that a run will make. */
export function isKnown(passes: Passes | null, sample: number): boolean {
  return passes !== null && sample >= passes.seed && sample < passes.seed + passes.repeat
}

export function episodeKey(task: string, sample: number): string {
  return `${sample}\u001f${task}`
}

/** A simulated model with a name of its own. Fixed for ever: changed rates are a new preset. */
export interface Preset {
  readonly id: string
  readonly about: string
  /** Its definition, in the grammar of model names. */
  readonly definition: string
}

/**
 * One of everything: each label of the parse taxonomy and most ways to end occur, so that a scorer that forgets one
 * cannot agree with the ledger. The numbers are tasks per pass over the suite.
 */
const FAULTY = [
  'oracle?mode=quota&transport=ignore_stop',
  `protocol.${SPOKEN.tagged}.fault=F01*2,F03*3,F07*1,F08*1,F12*1,F19*1,F20*2,F21*2,F25*2,F27*1,F28*1,F31*1,F34*1,F36*1`,
  `protocol.${SPOKEN.tagged}.policy=repeat_forever*1,error_spiral*1`,
  `protocol.${SPOKEN.marked}.fault=F03*1,F07*1,F12*1,F20*1,F21*1,F27*1,F28*1,F31*1,F34*1,F36*1,F38*1`,
  `protocol.${SPOKEN.marked}.policy=repeat_forever*1`,
  `protocol.${SPOKEN.worded}.fault=F03*1,F07*1,F14*4,F16*1,F20*1,F21*2,F26*1,F27*1,F28*2,F31*1,F34*1,F36*1`,
  `protocol.${SPOKEN.worded}.policy=repeat_forever*1,error_spiral*1,never_final*1`,
  `protocol.${SPOKEN.stated}.fault=F41*2,F42*1,F43*1,F44*2,F45*1,F46*2,F47*1,F03*2,F07*1,F11*1,F12*1,F19*1,F21*1,F26*1,F27*1,F28*1,F31*1,F34*1,F36*1`,
  `protocol.${SPOKEN.stated}.policy=repeat_forever*1,never_final*1`,
  `protocol.${SPOKEN.native}.fault=F04*2,F08*1,F19*1,F20*1,F21*1,F23*1,F25*1,F31*1,F34*1,F35*1,F36*1`,
  `protocol.${SPOKEN.native}.policy=repeat_forever*1,error_spiral*1`,
  'protocol.formats.fault=F01*1,F03*2,F07*1,F12*1,F20*2,F21*2,F25*1,F27*1,F28*1,F31*1,F34*1,F36*1,F38*1',
  'protocol.formats.policy=repeat_forever*1,error_spiral*1',
].join('&')

/** Every simulated model with a name of its own. Rates are calibrated to counts in real outputs; none is a claim about a model. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map(
  [
    {
      id: 'sim/perfect',
      about: 'solves every task without a fault: any result below 100 % is a false alarm',
      definition: 'oracle',
    },
    { id: 'sim/faulty', about: 'known faults, in known numbers; stop words are ignored', definition: FAULTY },
    {
      id: 'sim/perfect-noisy-ok',
      about: 'solves every task in unusual but correct words',
      definition: 'oracle?mode=quota&transport=ignore_stop&fault=F37*2,F38*4,F12*4,F13*4,F30*4,F39*4',
    },
    {
      id: 'sim/hermes-7b-like',
      about: 'the faults of a 7B model in the format that it was trained on',
      definition: 'oracle?fault=F01:0.033,F03:0.10,F13:0.036,F23:0.03',
    },
    {
      id: 'sim/react-small-zh',
      about: 'a small model that was taught ReAct in Chinese',
      definition: 'oracle?fault=F14:0.05,F16:0.03,F28:0.10,F10:0.04,F29:0.05',
    },
    {
      id: 'sim/thinker',
      about: 'calls in its thoughts, forgets to close them, runs out of tokens',
      definition: 'oracle?fault=F25:0.06,F26:0.02,F34:0.05',
    },
    {
      id: 'sim/looper',
      about: 'does not come to an end',
      definition: 'repeat_forever@0.08,cycle2@0.03,error_spiral@0.04',
    },
    {
      id: 'sim/leaky-server',
      about: 'a perfect model that would continue after every call, on a server that ignores stop words',
      definition: 'oracle?fault=F28:1&transport=ignore_stop',
    },
    {
      id: 'sim/flaky-infra',
      about: 'a perfect model behind a server that is busy or breaks off',
      definition: 'oracle?transport=429(1)@0.1,stream_cut(3)@0.02',
    },
    {
      id: 'sim/bfcl-mix',
      about: 'as many calls that cannot be decoded as in 40,000 published outputs: 12.9 %',
      definition: 'oracle?fault=F11:0.055,F03:0.03,F08:0.012,F07:0.012,F35:0.01,F04:0.005,F05:0.005',
    },
    {
      id: 'sim/adversarial',
      about: 'every turn has a fault, each of the catalogue as often',
      definition: 'oracle?fault=all:1&transport=ignore_stop',
    },
  ].map((preset) => [preset.id, preset]),
)
