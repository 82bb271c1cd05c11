import { loads } from '@callspec/python/outcome'
import type { FunctionCall, Issue, ParseOutcome } from '@callspec/core/qwen-agent'

import type { GoodAnswer } from '../question.ts'
import { isUnordered } from '../program/outcome-of-output.ts'
import { same, sameInAnyOrder } from '../same.ts'
import type { About } from '../subject.ts'

/** The calls of an outcome, in order; none where the text was rejected. */
export function callsIn(outcome: ParseOutcome): readonly FunctionCall[] {
  if (outcome.kind === 'rejected') return []
  const calls: FunctionCall[] = []
  for (const { function_call: call } of outcome.messages) if (call) calls.push(call)
  return calls
}

/** Whether calls are those that were expected; where spelling is free, arguments that mean the same JSON suffice. */
export function sameCalls(
  got: readonly FunctionCall[],
  expected: readonly FunctionCall[],
  { exactArguments }: Pick<About, 'exactArguments'>,
): boolean {
  if (same(got, expected)) return true
  if (exactArguments || got.length !== expected.length) return false
  return got.every((call, index) => {
    const other = expected[index]
    return other?.name === call.name && sameArguments(call, other)
  })
}

/** Whether the arguments of two calls mean the same JSON. The order of keys counts unless one of them was given as a value. */
export function sameArguments(one: FunctionCall, other: FunctionCall): boolean {
  if (one.arguments === other.arguments) return true
  const [left, right] = [loads(one.arguments), loads(other.arguments)]
  if (left.kind !== 'returned' || right.kind !== 'returned') return false
  return (isUnordered(one) || isUnordered(other) ? sameInAnyOrder : same)(left.value, right.value)
}

/** Whether two readings are equal. A program may give arguments as a value in one, and as the text of deltas in the other. */
export function sameOutcome(one: ParseOutcome, other: ParseOutcome): boolean {
  if (same(one, other)) return true
  const [calls, others] = [callsIn(one), callsIn(other)]
  if (![...calls, ...others].some(isUnordered)) return false
  return same(withoutArguments(one), withoutArguments(other)) && sameCalls(calls, others, { exactArguments: false })
}

function withoutArguments(outcome: ParseOutcome): ParseOutcome {
  if (outcome.kind === 'rejected') return outcome
  const messages = outcome.messages.map((message) =>
    message.function_call ? { ...message, function_call: { ...message.function_call, arguments: '' } } : message,
  )
  return { ...outcome, messages }
}

/** The ids of the calls of an outcome, in order; null for a call without one. */
export function idsIn(outcome: ParseOutcome): readonly (string | null)[] {
  if (outcome.kind === 'rejected') return []
  return outcome.messages.flatMap(({ function_call: call, extra }) => {
    const id = extra?.get('function_id')
    return call ? [typeof id === 'string' ? id : null] : []
  })
}

/** The texts of an outcome, reasoning included, in order. */
export function proseIn(outcome: ParseOutcome): string {
  if (outcome.kind === 'rejected') return ''
  return outcome.messages.map(({ content, reasoning_content: reasoning }) => textIn(reasoning) + content).join('')
}

/** The texts of an outcome without what was read as reasoning, in order, with `between` between them. */
export function contentIn(outcome: ParseOutcome, between = ''): string {
  return outcome.kind === 'rejected' ? '' : outcome.messages.map(({ content }) => content).join(between)
}

/** The issues of an outcome; of a rejected text the one that says why. */
export function issuesIn(outcome: ParseOutcome): readonly Issue[] {
  return outcome.kind === 'rejected' ? [outcome.issue] : outcome.issues
}

/** The outcome that a question for one was answered with: of a stream the last. */
export function outcomeOf(answer: GoodAnswer | undefined): ParseOutcome {
  switch (answer?.op) {
    case 'parse':
    case 'stop':
      return answer.outcome
    case 'stream': {
      const last = answer.outcomes.at(-1)
      if (last !== undefined) return last
      break
    }
    default:
  }
  throw new Error('An answer is missing; whoever runs a law gives one to every question.')
}

/** The outcomes after every chunk of a stream. */
export function outcomesOf(answer: GoodAnswer | undefined): readonly ParseOutcome[] {
  return answer?.op === 'stream' ? answer.outcomes : []
}

function textIn(reasoning: unknown): string {
  return typeof reasoning === 'string' ? reasoning : ''
}
