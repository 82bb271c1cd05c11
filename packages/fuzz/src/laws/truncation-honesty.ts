import { loads } from '@callspec/python/outcome'
import type { FunctionCall, ParseOutcome } from '@callspec/core/qwen-agent'

import type { Law, Violation } from '../law.ts'
import type { PlannedCall, Sample } from '../sample.ts'
import { withoutSpace } from './account.ts'
import { callsIn, issuesIn, outcomeOf } from './reading.ts'

/** More beginnings are not asked for; of a longer text they are taken at equal distances. */
const MAX_PREFIXES = 400

/** A reply can stop anywhere, and a call that was cut must not look like one that was not. */
export const truncationHonesty: Law = {
  id: 'truncation-honesty',
  statement:
    'For every beginning of a text, a call that is cut off or has arguments that are no JSON is told, or the text rejected, or no call given.',
  guards: [11],
  cost: 'quadratic',
  needs: 'text',
  applies: () => true,
  ask: ({ text }) => prefixLengths(text).map((length) => ({ op: 'parse', text: text.slice(0, length) })),
  judge: (sample, answers, { reportsIssues }) => {
    const planned = plannedCalls(sample)
    const isComplete = completeness()
    for (const [index, length] of prefixLengths(sample.text).entries()) {
      const outcome = outcomeOf(answers[index])
      const violation = dishonest({ text: sample.text.slice(0, length), outcome, planned, isComplete, reportsIssues })
      if (violation !== null) return violation
    }
    return null
  },
}

function prefixLengths(text: string): readonly number[] {
  const step = Math.max(1, Math.ceil(text.length / MAX_PREFIXES))
  const lengths: number[] = []
  for (let length = 0; length < text.length; length += step) lengths.push(length)
  return [...lengths, text.length]
}

interface Placed {
  readonly call: PlannedCall
  readonly start: number
  /** Behind the last character that is no white space. */
  readonly end: number
}

/** The calls of a plan without faults; where one has a fault, its neighbours are not where they were planned. */
function plannedCalls({ plan }: Sample): readonly Placed[] {
  const placed: Placed[] = []
  let start = 0
  for (const part of plan?.parts ?? []) {
    if (part.kind === 'call') {
      if (part.fault !== null) return []
      placed.push({ call: part, start, end: start + part.text.trimEnd().length })
    }
    start += part.text.length
  }
  return placed
}

interface Beginning {
  readonly text: string
  readonly outcome: ParseOutcome
  readonly planned: readonly Placed[]
  readonly isComplete: (call: FunctionCall) => boolean
  readonly reportsIssues: boolean
}

function dishonest({ text, outcome, planned, isComplete, reportsIssues }: Beginning): Violation | null {
  const calls = callsIn(outcome)
  if (calls.length === 0) return null
  const issues = issuesIn(outcome)
  const broken = issues.length > 0 ? undefined : calls.find((call) => !isComplete(call))
  if (broken !== undefined) {
    return {
      breach: 'broken-arguments',
      chunks: [text],
      expected: expectedOf(reportsIssues),
      got: broken,
    }
  }
  const at = planned.findIndex(({ start, end }) => start < text.length && text.length < end)
  const cut = calls[at]
  const place = planned[at]
  if (cut === undefined || place === undefined) return null
  const isTold = reportsIssues ? issues.some(({ end }) => end > place.start) : isWhole(cut, place.call)
  if (isTold) return null
  return { breach: 'cut-call', chunks: [text], expected: expectedOf(reportsIssues), got: outcome }
}

/** Issues have no place in the protocol. */
function expectedOf(reportsIssues: boolean): string {
  return reportsIssues ? 'an issue, or no call' : 'reject it, or give no call'
}

/** Whether arguments are JSON; the same ones come with most beginnings. */
function completeness(): (call: FunctionCall) => boolean {
  const known = new Map<string, boolean>()
  return ({ arguments: text }) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const isJson = loads(text).kind === 'returned'
    known.set(text, isJson)
    return isJson
  }
}

/** Where nothing can be told, a call may be given early, but only as it will be. */
function isWhole(got: FunctionCall, planned: PlannedCall): boolean {
  return got.name === planned.name && withoutSpace(got.arguments) === withoutSpace(planned.arguments)
}
