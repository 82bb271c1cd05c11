import { loads } from '@callspec/python/outcome'
import type { FunctionCall, ParseOutcome, ToolSpec } from '@callspec/core/qwen-agent'
import type { Law, Violation, GoodAnswer, LawQuestion, About } from '../law.ts'
import { isSameValue } from '../same.ts'
import type { Sample } from '../sample.ts'
import { chunksBetween } from '../sample.ts'
import { wellFormedCalls, outcomeCalls, answerOutcome, outcomeProse, callsInPlan, outcomeIssues } from './reading.ts'
import type { Language } from '../language.ts'
import type { StreamDelta } from '@callspec/core'

/** A delta cannot be taken back, so it has to be right when it is sent. */
export const jsonClosure: Law = {
  id: 'json-closure',
  statement:
    'Joined deltas equal the answer to the whole text, byte for byte. Arguments of well-formed calls are JSON.',
  guards: [3, 4],
  cost: 'linear',
  needs: 'text',
  applies: ({ answers }) => answers.has('deltas'),
  ask: ({ text, cuts }) => [
    { op: 'deltas', chunks: chunksBetween(text, cuts) },
    { op: 'parse', text },
  ],
  judge: (sample, [streamed, whole], { language }) => {
    const outcome = answerOutcome(whole)
    const folded = foldedOf(streamed)
    // A rejected text has no answer to compare the deltas with.
    if (outcome.kind === 'rejected' || folded === null) return null
    const chunks = chunksBetween(sample.text, sample.cuts)
    return (
      foldedDiffers(folded, outcome, chunks) ??
      (wellFormedCalls(sample, language) === null ? null : argumentsNotJson(folded, chunks))
    )
  },
}

function foldedOf(answer: GoodAnswer | undefined): Folded | null {
  return answer?.op === 'deltas' ? joinDeltas(answer.deltas) : null
}

function foldedDiffers({ content, calls }: Folded, outcome: ParseOutcome, chunks: readonly string[]): Violation | null {
  const prose = outcomeProse(outcome)
  if (content !== prose) return { breach: 'content-differs', chunks, expected: prose, got: content }
  const expected = outcomeCalls(outcome)
  const got = calls.map(({ names, arguments: text }): FunctionCall => ({ name: names.join(''), arguments: text }))
  return isSameValue(got, expected) ? null : { breach: 'calls-differ', chunks, expected, got }
}

function argumentsNotJson({ calls }: Folded, chunks: readonly string[]): Violation | null {
  const open = calls.find(({ arguments: text }) => loads(text).kind === 'raised')
  return open === undefined ? null : { breach: 'arguments-not-json', chunks, expected: 'JSON', got: open }
}

/** Two calls of one tool stay two calls, and a call that is not closed does not swallow the next one. */
export const indexIdentity: Law = {
  id: 'index-identity',
  statement:
    'Every call is found in its place, closed or not. In a stream it has one index, counted from 0, one id and one name; the stream ends with exactly one finish reason.',
  guards: [6, 13, 14],
  cost: 'linear',
  needs: 'text',
  applies: () => true,
  ask: (sample, subject): readonly LawQuestion[] => {
    const { text, cuts } = sample
    if (!subject.answers.has('deltas')) return [{ op: 'parse', text }]
    const deltas = { op: 'deltas', chunks: chunksBetween(text, cuts) } as const
    const tools = reversedTools(sample, subject)
    return [{ op: 'parse', text }, deltas, ...(tools === null ? [] : [{ ...deltas, tools }])]
  },
  judge: (sample, [whole, streamed, given], subject) => {
    const { text, cuts } = sample
    const outcome = answerOutcome(whole)
    const got = outcomeCalls(outcome).map(({ name }) => name)
    const expected = plannedNames(sample, subject)
    if (expected !== null && !isSameValue(got, expected))
      return { breach: 'calls-differ-from-plan', chunks: [text], expected, got: outcome }
    if (streamed?.op !== 'deltas') return null
    const folded = joinDeltas(streamed.deltas)
    const chunks = chunksBetween(text, cuts)
    if (outcome.kind === 'rejected') return finishReasonDiffers(folded, 'error', chunks)
    return (
      indicesDiffer(folded, { count: got.length, text, chunks }) ??
      finishReasonDiffers(folded, expectedFinishReason(folded, outcome), chunks) ??
      (given?.op === 'deltas' ? movedByTools(joinDeltas(given.deltas), got, chunks) : null)
    )
  },
}

/** The tools of the planned calls in reverse order; null for fewer than two. */
function reversedTools(sample: Sample, subject: About): readonly ToolSpec[] | null {
  const names = [...new Set(plannedNames(sample, subject))]
  if (names.length < 2) return null
  return names.toReversed().map((name) => ({ name, description: '', parameters: { type: 'object', properties: {} } }))
}

/** Calls keep the order of the reply, not that of the tools. */
function movedByTools({ calls }: Folded, expected: readonly string[], chunks: readonly string[]): Violation | null {
  const got = calls.map(({ names }) => names.join(''))
  return isSameValue(got, expected) ? null : { breach: 'order-of-tools', chunks, expected, got }
}

/** The names that must be read; null where faults leave that open, or only one of several calls counts. */
function plannedNames(sample: Sample, { reportsIssues, language }: About): readonly string[] | null {
  const calls = callsInPlan(sample)
  if (calls.length === 0 || (calls.length > 1 && language.callSeparator === null)) return null
  const isSure = calls.every(({ fault }) => fault === null || (reportsIssues && isFoundDespite(fault, language)))
  return isSure ? calls.map(({ name }) => name) : null
}

/** Whether a parser that reports issues still finds a call with this fault. */
function isFoundDespite(fault: string, { callEnd, wrappers }: Language): boolean {
  // Readers of grammars drop a call that is not closed or has null as arguments, and report it.
  if (wrappers !== undefined) return false
  return fault === 'null-arguments' || (fault === 'not-closed' && callEnd.length > 0)
}

interface ExpectedCalls {
  readonly count: number
  readonly text: string
  readonly chunks: readonly string[]
}

function indicesDiffer({ calls }: Folded, { count, text, chunks }: ExpectedCalls): Violation | null {
  if (calls.length !== count) return { breach: 'indices-differ', chunks, expected: `${count} calls`, got: calls }
  const unclear = calls.find(({ ids, names }) => ids.length !== 1 || names.length !== 1)
  if (unclear !== undefined)
    return { breach: 'id-or-name-not-once', chunks, expected: 'one id, one name', got: unclear }
  // The model may repeat an id that it wrote itself.
  const made = calls.filter((call) => call.ids.every((id) => !text.includes(id)))
  const ids = new Set(made.flatMap((call) => call.ids))
  if (ids.size !== made.length)
    return { breach: 'ids-not-unique', chunks, expected: `${calls.length} ids`, got: [...ids] }
  return null
}

/** `length` is right only if the parse of the whole text has an issue, too. */
function expectedFinishReason({ isCut }: Folded, outcome: ParseOutcome): string {
  if (isCut && outcomeIssues(outcome).length > 0) return 'length'
  return outcomeCalls(outcome).length > 0 ? 'tool_calls' : 'stop'
}

function finishReasonDiffers({ finishReasons }: Folded, reason: string, chunks: readonly string[]): Violation | null {
  if (isSameValue(finishReasons, [reason])) return null
  return { breach: 'finish-reason', chunks, expected: [reason], got: finishReasons }
}

/** Joined deltas. */
interface Folded {
  readonly content: string
  readonly calls: readonly FoldedCall[]
  /** Whether the finish reason is `length`; then the last call is left out. */
  readonly isCut: boolean
  readonly finishReasons: readonly string[]
}

interface FoldedCall {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly arguments: string
}

/** Joins deltas as clients do: texts in order, pieces of calls by their index. */
function joinDeltas(deltas: readonly StreamDelta[]): Folded {
  let content = ''
  const finishReasons: string[] = []
  const calls: { ids: string[]; names: string[]; arguments: string }[] = []
  for (const { delta, finish_reason: reason } of deltas) {
    if (reason !== null) finishReasons.push(reason)
    content += (delta.reasoning_content ?? '') + (delta.content ?? '')
    for (const { index, id, function: piece } of delta.tool_calls ?? []) {
      // An index that was skipped becomes an empty call, which breaks the law.
      while (calls.length <= index && calls.length < MAX_CALLS) calls.push({ ids: [], names: [], arguments: '' })
      const call = calls[index]
      if (call === undefined) continue
      if (id !== undefined) call.ids.push(id)
      if (piece.name !== undefined) call.names.push(piece.name)
      call.arguments += piece.arguments
    }
  }
  // The last call of such a stream was cut off, so it does not count.
  const isCut = finishReasons.at(-1) === 'length'
  return { content, calls: isCut ? calls.slice(0, -1) : calls, finishReasons, isCut }
}

/** Higher indices are ignored. */
const MAX_CALLS = 100_000
