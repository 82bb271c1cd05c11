import { isDict, isList } from '@callspec/core'
import type { PromptFormat, PyDict, PyValue } from '@callspec/core'
import { MachineryError, unclaimed } from '@callspec/conformance'
import type { Implementation, Reply } from '@callspec/conformance'
import { languageOf } from '@callspec/fuzz'
import type { Answer, NoAnswer, Question, RemoteSubject } from '@callspec/fuzz'
import { outcomeOfOutput, REJECTED } from './outcome-of-reply.ts'

/** What a program is asked about. */
export interface RemoteOptions {
  readonly name: string
  readonly implementation: Implementation
  readonly format: PromptFormat
  /** As the implementation claims it, such as `strict` or `qwen-agent@main`. */
  readonly profile: string
}

/**
 * A program behind the protocol as a parser under test. Its operations are `parse`, and `stream` and `stop` where it claims
 * them. Issues have no place in the protocol, so that laws ask it for what was read only; snapshots count at the end.
 */
export function remoteSubject(options: RemoteOptions): RemoteSubject {
  const { name, implementation, format, profile } = options
  const offered = (['parse', 'stream', 'stop'] as const).filter(
    (op) => unclaimed(implementation.about, { op, format: format.id, profile }) === null,
  )
  return {
    name,
    language: languageOf(format, { parallelCalls: true }),
    profile: null,
    answers: new Set<Question['op']>([...offered, 'work']),
    reportsIssues: false,
    exactSnapshots: false,
    exactArguments: false,
    countsWork: false,
    recorded: new Map(),
    exceptions: [],
    answerAll: async (questions) => {
      const answers = new Map<Question, Answer>()
      const others = questions.filter(({ op }) => op !== 'work')
      await Promise.all(others.map(async (question) => answers.set(question, await answerOf(question, options))))
      // What is timed must not wait for others.
      for (const question of questions)
        if (question.op === 'work') answers.set(question, await timed(question, options))
      return questions.map((question) => answers.get(question) ?? MISSING)
    },
  }
}

const MISSING: NoAnswer = { op: 'none', how: 'garbled', reason: 'gave no answer' }

async function answerOf(question: Question, options: RemoteOptions): Promise<Answer> {
  switch (question.op) {
    case 'parse':
      return parsed(await ask('parse', { text: question.text, ...thought(question) }, options))
    case 'stream': {
      const reply = await ask('stream', { chunks: question.chunks, ...thought(question) }, options)
      const answer = parsed(reply)
      return answer.op === 'parse' ? { op: 'stream', outcomes: [answer.outcome] } : answer
    }
    case 'stop':
      return stopped(question.text, options)
    default:
      return MISSING
  }
}

async function stopped(text: string, options: RemoteOptions): Promise<Answer> {
  const reply = await ask('stop', { text }, options)
  if (reply.kind !== 'returned' || !isDict(reply.value)) return broken(reply)
  const kept = reply.value.get('text')
  if (typeof kept !== 'string') return { op: 'none', how: 'garbled', reason: 'the output of "stop" has no "text"' }
  const answer = parsed(await ask('parse', { text: kept }, options))
  return answer.op === 'parse' ? { op: 'stop', kept, outcome: answer.outcome } : answer
}

/** The whole text at once: the answers to a stream of snapshots are long by themselves. */
async function timed({ chunks }: Extract<Question, { op: 'work' }>, options: RemoteOptions): Promise<Answer> {
  const start = performance.now()
  const answer = parsed(await ask('parse', { text: chunks.join('') }, options))
  if (answer.op === 'none') return answer
  return { op: 'work', work: { unit: 'milliseconds', amount: performance.now() - start, answered: 0 } }
}

let asked = 0

async function ask(
  op: 'parse' | 'stream' | 'stop',
  input: Readonly<Record<string, string | boolean | readonly string[]>>,
  { implementation, format, profile }: RemoteOptions,
): Promise<Reply> {
  asked += 1
  const members: (readonly [string, PyValue])[] = [...Object.entries(input), ['parallel_calls', true]]
  const map: PyDict = new Map(members)
  return implementation.answer({ id: `fuzz-${asked}`, op, format: format.id, profile, input: map })
}

function thought({ thoughtInContent }: { readonly thoughtInContent?: boolean }): Readonly<Record<string, boolean>> {
  return thoughtInContent === true ? { thought_in_content: true } : {}
}

function parsed(reply: Reply): Answer {
  // That it refuses is an answer; with which words is nobody's business.
  if (reply.kind === 'raised') return { op: 'parse', outcome: REJECTED }
  if (reply.kind !== 'returned') return broken(reply)
  const { value } = reply
  if (!isDict(value) || isList(value)) return { op: 'none', how: 'garbled', reason: 'the output is no map' }
  return { op: 'parse', outcome: outcomeOfOutput(value) }
}

/** Why there is no answer, in one of three words. */
function broken(reply: Reply): NoAnswer {
  if (reply.kind === 'raised') return { op: 'none', how: 'garbled', reason: `rejected: ${reply.error.message}` }
  const reason = reply.kind === 'errored' || reply.kind === 'skipped' ? reply.reason : 'the output is no map'
  if (/^cannot be started again/.test(reason)) throw new MachineryError(reason)
  if (/gave no answer within/.test(reason)) return { op: 'none', how: 'hung', reason }
  return { op: 'none', how: /instead of answering/.test(reason) ? 'crashed' : 'garbled', reason }
}
