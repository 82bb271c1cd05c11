import { loads } from '@callspec/python/outcome'
import type { FunctionCall, Issue, ParseOutcome } from '@callspec/core/qwen-agent'

import type { GoodAnswer } from '../question.ts'
import { same } from '../same.ts'
import type { About } from '../subject.ts'

/** The calls of an outcome, in order; none where the text was rejected. */
export function callsIn(outcome: ParseOutcome): readonly FunctionCall[] {
  if (outcome.kind === 'rejected') return []
  const calls: FunctionCall[] = []
  for (const { function_call: call } of outcome.messages) if (call) calls.push(call)
  return calls
}

/** Whether calls are those that were expected; where spelling is free, arguments that mean the same JSON will do. */
export function sameCalls(
  got: readonly FunctionCall[],
  expected: readonly FunctionCall[],
  { exactArguments }: Pick<About, 'exactArguments'>,
): boolean {
  if (same(got, expected)) return true
  if (exactArguments || got.length !== expected.length) return false
  return got.every((call, index) => {
    const other = expected[index]
    return other?.name === call.name && same(loads(call.arguments), loads(other.arguments))
  })
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
