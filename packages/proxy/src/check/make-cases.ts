import type { TrafficCheck } from './check-exchange.ts'
import type { TrafficExample, TrafficReport } from './check-traffic.ts'
import { logOf } from './log-of.ts'
import { callCases } from './make-call-cases.ts'
import type { MadeCase } from './made-case.ts'
import { recordingOf } from './recording-of.ts'
import { shrinkReply } from './shrink-reply.ts'

/**
 * Makes a case of the first example of every finding that can be told again without the server. A call that was left in a text
 * becomes a question to a parser of its format; everything else a log or a recording, of as few events as show the same, for
 * another check.
 */
export function makeCases({ checks }: TrafficReport): readonly MadeCase[] {
  return checks.flatMap(({ check, examples }) => {
    const questions = check === 'call-in-text' || check === 'call-in-thought' ? callCases(check, examples) : []
    if (questions.length > 0) return questions
    const [example] = examples
    const made = example === undefined ? null : writtenCase(check, example)
    return made === null ? [] : [made]
  })
}

function writtenCase(check: TrafficCheck, example: TrafficExample): MadeCase | null {
  try {
    return caseOf(check, example)
  } catch (error) {
    // JSON that is nested thousands deep can be read, and not be written again.
    if (error instanceof RangeError) return null
    throw error
  }
}

function caseOf(check: TrafficCheck, example: TrafficExample): MadeCase | null {
  const { reply, question, other } = example
  if (check === 'stream-differs') {
    // Whatever is left out of one of them, they differ.
    const pair = other === null ? [] : [other, reply]
    return pair.length === 0 ? null : { file: `${check}.traffic`, text: recordingOf(pair, { temperature: 0 }) }
  }
  const smallest = shrinkReply(check, example)
  if (smallest === null) return null
  const { events, isStream } = smallest
  if (isStream && check !== 'arguments-swallowed') return { file: `${check}.sse`, text: logOf(events) }
  const called = new Set(reply.said.toolCalls.map(({ name }) => name))
  const tools = [...(question?.required ?? [])]
    .filter(([name]) => called.has(name))
    .map(([name, required]) => ({ type: 'function', function: { name, parameters: { type: 'object', required } } }))
  return { file: `${check}.traffic`, text: recordingOf([smallest], tools.length === 0 ? {} : { tools }) }
}
