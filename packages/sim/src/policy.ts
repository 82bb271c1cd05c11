import type { Culprit, EndLabel, TurnLabel } from '@callspec/labels'
import type { FindExamples } from './examples.ts'
import type { Expectation, FaultyReply } from './fault.ts'
import type { Move, Position } from './plan.ts'
import type { SimProtocol } from './protocol.ts'
import type { Reference } from './reference.ts'
import type { Part } from './speak/speaker.ts'

/** What a policy sees of an episode. */
export interface PolicyContext {
  readonly protocol: SimProtocol
  readonly reference: Reference
  readonly part: Part
  readonly results: readonly string[]
  readonly position: Position
  /** What the plan does here. */
  readonly planned: Move
  /** The number in brackets after the policy's name. */
  readonly argument: number
  readonly examples: FindExamples
}

/**
 * What a policy does in one step, with the labels of the turn, written down by hand: what the plan does, a move of its
 * own, or words of its own.
 */
export type PolicyAct =
  | { readonly kind: 'as-planned' }
  | {
      readonly kind: 'move'
      readonly move: Move
      readonly label: TurnLabel | null
      readonly end: EndLabel | null
      /** Whether it is the correct answer to the task. */
      readonly isRight?: boolean
      /** The culprit other than the model, if this turn is its last. Default: none. */
      readonly blames?: Culprit
    }
  | { readonly kind: 'words'; readonly reply: FaultyReply; readonly expect: Expectation }

/** A way to behave over a whole episode. */
export interface Policy {
  readonly id: string
  readonly about: string
  /** What the number in brackets may be; absent: it takes none. */
  readonly argument?: { readonly min: number; readonly max: number; readonly byDefault: number }
  /** Null where task or protocol give the policy nothing to do; asked of an episode's first step, that means never. */
  act(context: PolicyContext): PolicyAct | null
}

/** The plan's next step, undisturbed. */
export const AS_PLANNED: PolicyAct = { kind: 'as-planned' }

/** Calls that are correct as such, in an episode that ends as given. */
export function loops(calls: Extract<Move, { kind: 'calls' }>['calls'], end: EndLabel | null): PolicyAct {
  return { kind: 'move', move: { kind: 'calls', calls }, label: 'well_formed', end }
}

/** An answer in the protocol's form. */
export function answers(
  text: string,
  truth: Pick<Extract<PolicyAct, { kind: 'move' }>, 'isRight' | 'blames'> = {},
): PolicyAct {
  return { kind: 'move', move: { kind: 'final', text }, label: null, end: null, ...truth }
}
