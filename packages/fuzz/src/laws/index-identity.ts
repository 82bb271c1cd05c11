import type { ParseOutcome, ToolSpec } from '@callspec/core/qwen-agent'
import type { Language } from '../language.ts'
import type { Law, Violation } from '../law.ts'
import type { Question } from '../question.ts'
import { same } from '../same.ts'
import type { Sample } from '../sample.ts'
import { chunksOf } from '../sample.ts'
import type { About } from '../subject.ts'
import { foldDeltas } from './fold-deltas.ts'
import type { Folded } from './fold-deltas.ts'
import { plannedCalls } from './planned.ts'
import { callsIn, issuesIn, outcomeOf } from './reading.ts'

/** Calls stay apart, also two of the same tool, and one that was not closed takes no other with it. */
export const indexIdentity: Law = {
  id: 'index-identity',
  statement:
    'Every call of a reply is found in its place, closed or not; in a stream it has an index from 0 on, one id and one name, and one finish reason ends it all.',
  guards: [6, 13, 14],
  cost: 'linear',
  needs: 'text',
  applies: () => true,
  ask: (sample, subject): readonly Question[] => {
    const { text, cuts } = sample
    if (!subject.answers.has('deltas')) return [{ op: 'parse', text }]
    const deltas = { op: 'deltas', chunks: chunksOf(text, cuts) } as const
    const tools = toolsFor(sample, subject)
    return [{ op: 'parse', text }, deltas, ...(tools === null ? [] : [{ ...deltas, tools }])]
  },
  judge: (sample, [whole, streamed, given], subject) => {
    const { text, cuts } = sample
    const outcome = outcomeOf(whole)
    const got = callsIn(outcome).map(({ name }) => name)
    const expected = plannedNames(sample, subject)
    if (expected !== null && !same(got, expected))
      return { breach: 'calls-differ-from-plan', chunks: [text], expected, got: outcome }
    if (streamed?.op !== 'deltas') return null
    const folded = foldDeltas(streamed.deltas)
    const chunks = chunksOf(text, cuts)
    if (outcome.kind === 'rejected') return finishedOtherwise(folded, 'error', chunks)
    return (
      confused(folded, { count: got.length, text, chunks }) ??
      finishedOtherwise(folded, reasonFor(folded, outcome), chunks) ??
      (given?.op === 'deltas' ? movedByTools(foldDeltas(given.deltas), got, chunks) : null)
    )
  },
}

/** The tools of the planned calls in the opposite order, where that is another one; else null. */
function toolsFor(sample: Sample, subject: About): readonly ToolSpec[] | null {
  const names = [...new Set(plannedNames(sample, subject))]
  if (names.length < 2) return null
  return names.toReversed().map((name) => ({ name, description: '', parameters: { type: 'object', properties: {} } }))
}

/** The place of a call is that in the reply, not that of its tool in the list. */
function movedByTools({ calls }: Folded, expected: readonly string[], chunks: readonly string[]): Violation | null {
  const got = calls.map(({ names }) => names.join(''))
  return same(got, expected) ? null : { breach: 'order-of-tools', chunks, expected, got }
}

/** The names that must come out; null where nobody can say, because of faults or because only one call counts. */
function plannedNames(sample: Sample, { reportsIssues, language }: About): readonly string[] | null {
  const calls = plannedCalls(sample)
  if (calls.length === 0 || (calls.length > 1 && language.callSeparator === null)) return null
  const isSure = calls.every(({ fault }) => fault === null || (reportsIssues && isFoundWith(fault, language)))
  return isSure ? calls.map(({ name }) => name) : null
}

/** Faults with which a call is still found, by a parser that can tell them. */
function isFoundWith(fault: string, { callEnd, wrappers }: Language): boolean {
  // A reader of a grammar takes a call that is not closed for none, or one of which null is no object, and says so.
  if (wrappers !== undefined) return false
  return fault === 'null-arguments' || (fault === 'not-closed' && callEnd.length > 0)
}

interface Expected {
  readonly count: number
  readonly text: string
  readonly chunks: readonly string[]
}

function confused({ calls }: Folded, { count, text, chunks }: Expected): Violation | null {
  if (calls.length !== count) return { breach: 'indices-differ', chunks, expected: `${count} calls`, got: calls }
  const unclear = calls.find(({ ids, names }) => ids.length !== 1 || names.length !== 1)
  if (unclear !== undefined)
    return { breach: 'id-or-name-not-once', chunks, expected: 'one id, one name', got: unclear }
  // An id that stands in the reply is the model's: it may say it twice.
  const made = calls.filter((call) => call.ids.every((id) => !text.includes(id)))
  const ids = new Set(made.flatMap((call) => call.ids))
  if (ids.size !== made.length)
    return { breach: 'ids-not-unique', chunks, expected: `${calls.length} ids`, got: [...ids] }
  return null
}

/** A call that was cut off has to be told by the reading of the whole, too. */
function reasonFor({ isCut }: Folded, outcome: ParseOutcome): string {
  if (isCut && issuesIn(outcome).length > 0) return 'length'
  return callsIn(outcome).length > 0 ? 'tool_calls' : 'stop'
}

/** Exactly one reason, in whatever way a reply ends. */
function finishedOtherwise({ finishReasons }: Folded, reason: string, chunks: readonly string[]): Violation | null {
  if (same(finishReasons, [reason])) return null
  return { breach: 'finish-reason', chunks, expected: [reason], got: finishReasons }
}
