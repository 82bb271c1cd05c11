import type { PlannedCall, Reference } from './reference.ts'

/** What a simulated model does in one step, before it is put into words. */
export type Move =
  { readonly kind: 'calls'; readonly calls: readonly PlannedCall[] } | { readonly kind: 'final'; readonly text: string }

/** The position of a conversation in its plan. */
export interface Position {
  /** How many planned calls have been answered. */
  readonly done: number
  /** How many replies have asked for calls. */
  readonly turns: number
  /** How many results say that the model made a mistake. */
  readonly ownErrors: number
  /** Whether the last result is an error of any kind. */
  readonly isAfterError: boolean
}

/** How many calls a reply may hold: all of a planned turn, or one. */
export type Width = 'turn' | 'one'

/** The next step of the reference plan. */
export function planned(reference: Reference, done: number, width: Width): Move {
  let left = done
  for (const turn of reference.plan) {
    if (left < turn.length)
      return { kind: 'calls', calls: width === 'one' ? turn.slice(left, left + 1) : turn.slice(left) }
    left -= turn.length
  }
  return { kind: 'final', text: reference.final }
}

/** A step of the plan that is being compared: its position, and what was requested there. */
export interface PastStep {
  readonly step: number
  readonly position: Position
  readonly calls: readonly PlannedCall[]
}

/**
 * Where the results lead to. Results that a mistake of the model has caused do not count, so it tries again; errors that
 * belong to the task (a missing key, a busy backend) are part of the plan.
 *
 * @param copies how many calls more than planned a past reply held; their results do not count
 */
export function locate(
  {
    reference,
    results,
    width,
  }: { readonly reference: Reference; readonly results: readonly string[]; readonly width: Width },
  copies: (past: PastStep) => number,
): Position {
  let position: Position = { done: 0, turns: 0, ownErrors: 0, isAfterError: false }
  for (let step = 0; step < results.length;) {
    const move = planned(reference, position.done, width)
    const calls = move.kind === 'calls' ? move.calls : []
    const asked = Math.max(calls.length, 1)
    const answers = results.slice(step, step + asked + copies({ step, position, calls }))
    const own = answers.filter(isOwnError).length
    const counted = answers.slice(0, asked).filter((answer) => !isOwnError(answer)).length
    position = {
      done: position.done + counted,
      turns: position.turns + 1,
      ownErrors: position.ownErrors + own,
      isAfterError: isError(answers.at(-1) ?? ''),
    }
    step += answers.length
  }
  return position
}

/** How many replies a model without fault needs to ask for all calls. */
export function plannedTurns({ plan }: Reference, width: Width): number {
  return width === 'one' ? plan.flat().length : plan.length
}

/** Whether a result reports an error, in the words of the suite's tools and the hosts. */
export function isError(result: string): boolean {
  return result.startsWith('{"error":') || /"stderr":"[^"]/.test(result) || isOwnError(result)
}

/** How hosts answer a call that cannot be run. */
function isOwnError(result: string): boolean {
  return (
    /^Tool .* does not exists?\.$/.test(result) ||
    result.startsWith('An error occurred when calling tool') ||
    result.startsWith('{"error":{"code":"bad_arguments"') ||
    result.startsWith('{"error":{"code":"no_such_tool"')
  )
}
