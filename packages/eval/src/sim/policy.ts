import type { EndLabel, TurnLabel } from '../labels.ts'
import type { PlannedCall, Reference } from './reference.ts'

/** What a simulated model does in one step, before it is put into words. */
export type Move =
  { readonly kind: 'calls'; readonly calls: readonly PlannedCall[] } | { readonly kind: 'final'; readonly text: string }

/** A way to behave over a whole episode, with the labels it must get, written down by hand. */
export interface Policy {
  readonly id: string
  readonly expect: { readonly turn: TurnLabel; readonly end: EndLabel }
  /** Null where the task gives the policy nothing to do. */
  move(reference: Reference, results: readonly string[]): Move | null
}

/**
 * The next step of the reference plan. Results that a fault of the model has caused do not count, so it tries again;
 * errors that belong to the task (a missing key, a busy backend) are part of the plan.
 *
 * @param width how many calls one reply may hold: all of a planned turn, or one
 */
export function oracle(reference: Reference, results: readonly string[], width: 'turn' | 'one'): Move {
  let done = results.filter((result) => !isOwnFault(result)).length
  for (const turn of reference.plan) {
    if (done < turn.length)
      return { kind: 'calls', calls: width === 'one' ? turn.slice(done, done + 1) : turn.slice(done) }
    done -= turn.length
  }
  return { kind: 'final', text: reference.final }
}

const REPEAT_FOREVER: Policy = {
  id: 'repeat_forever',
  expect: { turn: 'well_formed', end: 'repeat_loop' },
  move: (reference) => {
    const first = reference.plan[0]?.[0]
    return first === undefined ? null : { kind: 'calls', calls: [first] }
  },
}

const ERROR_SPIRAL: Policy = {
  id: 'error_spiral',
  expect: { turn: 'hallucinated_tool', end: 'tool_error_spiral' },
  move: (reference, results) => ({
    kind: 'calls',
    calls: [{ name: `helper_${results.length + 1}`, args: { task: reference.task } }],
  }),
}

/** Each call must succeed and differ, or the episode would end as a spiral or a loop. */
const NEVER_FINAL: Policy = {
  id: 'never_final',
  expect: { turn: 'well_formed', end: 'budget_exhausted' },
  move: (reference, results) =>
    reference.tools.includes('calculator')
      ? { kind: 'calls', calls: [{ name: 'calculator', args: { expression: `${results.length}+1` } }] }
      : null,
}

/** Policies that never come to an end by themselves. */
export const POLICIES: ReadonlyMap<string, Policy> = new Map(
  [REPEAT_FOREVER, ERROR_SPIRAL, NEVER_FINAL].map((policy) => [policy.id, policy]),
)

/** How hosts answer a call that cannot be run. */
function isOwnFault(result: string): boolean {
  return (
    /^Tool .* does not exists?\.$/.test(result) ||
    result.startsWith('An error occurred when calling tool') ||
    result.startsWith('{"error":{"code":"bad_arguments"') ||
    result.startsWith('{"error":{"code":"no_such_tool"')
  )
}
