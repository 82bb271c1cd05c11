import { fromPlain, isDict } from '@callspec/python'
import type { PromptFormat } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'

import { languageOf } from '../learn-language.ts'
import type { Answer, NoAnswer, Question } from '../question.ts'
import type { RemoteSubject } from '../subject.ts'
import { outcomeOfOutput, REJECTED } from './outcome-of-output.ts'

/** The operations of the protocol (docs/protocol.md) that laws ask for. */
export type ProgramOperation = 'parse' | 'stream' | 'stop'

/** What came of an operation: an output in the form of the protocol, a refusal, or nothing, with the reason. */
export type ProgramReply =
  | { readonly kind: 'returned'; readonly value: PyValue }
  | { readonly kind: 'raised'; readonly error: { readonly type: string; readonly message: string } }
  | { readonly kind: 'errored' | 'skipped'; readonly reason: string }

/** A parser that answers operations of the protocol: a program, or functions in the same form. */
export interface ProgramOptions {
  /** For people. */
  readonly name: string
  /** The format of the texts. */
  readonly format: PromptFormat
  /** What it offers; `parse` at least. */
  readonly offers: readonly ProgramOperation[]
  readonly ask: (op: ProgramOperation, input: PyDict) => Promise<ProgramReply>
}

/**
 * A program as a parser under test. Issues have no place in the protocol, so that laws ask for what was read only; of a stream
 * the end counts.
 *
 * @throws InputError for a format whose renderer shows no calls
 */
export function programSubject(options: ProgramOptions): RemoteSubject {
  const { name, format, offers } = options
  return {
    name,
    language: languageOf(format, { parallelCalls: true }),
    profile: null,
    answers: new Set<Question['op']>([...offers, 'work']),
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
      for (const question of questions) {
        if (question.op === 'work') answers.set(question, await timed(question, options))
      }
      return questions.map((question) => answers.get(question) ?? MISSING)
    },
  }
}

const MISSING: NoAnswer = { op: 'none', how: 'garbled', reason: 'gave no answer' }

async function answerOf(question: Question, options: ProgramOptions): Promise<Answer> {
  switch (question.op) {
    case 'parse':
      return parsed(await ask('parse', { text: question.text, ...thought(question), ...toolsOf(question) }, options))
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

async function stopped(text: string, options: ProgramOptions): Promise<Answer> {
  const reply = await ask('stop', { text }, options)
  if (reply.kind !== 'returned' || !isDict(reply.value)) return broken(reply)
  const kept = reply.value.get('text')
  if (typeof kept !== 'string') return { op: 'none', how: 'garbled', reason: 'the output of "stop" has no "text"' }
  const answer = parsed(await ask('parse', { text: kept }, options))
  return answer.op === 'parse' ? { op: 'stop', kept, outcome: answer.outcome } : answer
}

/** The whole text at once: the answers to a stream of snapshots are long by themselves. */
async function timed({ chunks }: Extract<Question, { op: 'work' }>, options: ProgramOptions): Promise<Answer> {
  const start = performance.now()
  const answer = parsed(await ask('parse', { text: chunks.join('') }, options))
  if (answer.op === 'none') return answer
  return { op: 'work', work: { unit: 'milliseconds', amount: performance.now() - start, answered: 0 } }
}

function ask(
  op: ProgramOperation,
  input: Readonly<Record<string, PyValue>>,
  options: ProgramOptions,
): Promise<ProgramReply> {
  const members: (readonly [string, PyValue])[] = [...Object.entries(input), ['parallel_calls', true]]
  return options.ask(op, new Map(members))
}

function thought({ thoughtInContent }: { readonly thoughtInContent?: boolean }): Readonly<Record<string, boolean>> {
  return thoughtInContent === true ? { thought_in_content: true } : {}
}

function toolsOf({ tools }: Extract<Question, { op: 'parse' }>): Readonly<Record<string, PyValue>> {
  return tools === undefined ? {} : { tools: fromPlain(tools) }
}

function parsed(reply: ProgramReply): Answer {
  // That it refuses is an answer; with which words is nobody's business.
  if (reply.kind === 'raised') return { op: 'parse', outcome: REJECTED }
  if (reply.kind !== 'returned') return broken(reply)
  const { value } = reply
  if (!isDict(value)) return { op: 'none', how: 'garbled', reason: 'the output is no map' }
  return { op: 'parse', outcome: outcomeOfOutput(value) }
}

/** Why there is no answer, in one of three words. */
function broken(reply: ProgramReply): NoAnswer {
  if (reply.kind === 'raised') return { op: 'none', how: 'garbled', reason: `rejected: ${reply.error.message}` }
  const reason = reply.kind === 'errored' || reply.kind === 'skipped' ? reply.reason : 'the output is no map'
  if (/gave no answer within/.test(reason)) return { op: 'none', how: 'hung', reason }
  return { op: 'none', how: /instead of answering/.test(reason) ? 'crashed' : 'garbled', reason }
}
