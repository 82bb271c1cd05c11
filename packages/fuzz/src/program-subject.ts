import type { PyDict, PyValue } from '@callspec/python'
import { fromPlain, isDict } from '@callspec/python'
import type { PromptFormat } from '@callspec/core/qwen-agent'
import { learnLanguage } from './learn-language.ts'
import type { LawAnswer, NoAnswer, LawQuestion, RemoteSubject } from './law.ts'
import { outcomeOfOutput, REJECTED } from './program-output.ts'

/** The operations of the protocol (docs/protocol.md) that laws use. */
export type ProgramOperation = 'parse' | 'stream' | 'stop'

/** The result of an operation: an output of the protocol, a rejection, or the reason why there is no answer. */
export type ProgramReply =
  | { readonly kind: 'returned'; readonly value: PyValue }
  | { readonly kind: 'raised'; readonly error: { readonly type: string; readonly message: string } }
  | { readonly kind: 'errored' | 'skipped'; readonly reason: string }

/** A parser that answers operations of the protocol: a program, or functions with the same inputs and outputs. */
export interface ProgramOptions {
  /** For people. */
  readonly name: string
  readonly format: PromptFormat
  /** At least `parse`. */
  readonly offers: readonly ProgramOperation[]
  /** The chunks of a stream as users of the program meet them, such as cut at tokens only. Default: as a law asks. */
  readonly arriving?: (chunks: readonly string[]) => readonly string[]
  readonly ask: (op: ProgramOperation, input: PyDict) => Promise<ProgramReply>
}

/**
 * A program as a parser under test. The protocol has no issues, so laws check only what was read, and the end of a stream.
 *
 * @throws InputError for a format whose renderer shows no calls
 */
export function programSubject(options: ProgramOptions): RemoteSubject {
  const { name, format, offers } = options
  return {
    name,
    language: learnLanguage(format, { parallelCalls: true }),
    profile: null,
    answers: new Set<LawQuestion['op']>([...offers, 'work']),
    reportsIssues: false,
    exactSnapshots: false,
    exactArguments: false,
    countsWork: false,
    recorded: new Map(),
    exceptions: [],
    ...(options.arriving === undefined ? {} : { arriving: options.arriving }),
    answerAll: async (questions) => {
      const answers = new Map<LawQuestion, LawAnswer>()
      const others = questions.filter(({ op }) => op !== 'work')
      await Promise.all(others.map(async (question) => answers.set(question, await askProgram(question, options))))
      // One at a time: timed questions must not wait for others.
      for (const question of questions) {
        if (question.op === 'work') answers.set(question, await timedAnswer(question, options))
      }
      return questions.map((question) => answers.get(question) ?? NO_REPLY)
    },
  }
}

const NO_REPLY: NoAnswer = { op: 'none', how: 'garbled', reason: 'gave no answer' }

async function askProgram(question: LawQuestion, options: ProgramOptions): Promise<LawAnswer> {
  switch (question.op) {
    case 'parse':
      return parseAnswer(
        await askOperation(
          'parse',
          { text: question.text, ...thoughtInput(question), ...toolInput(question) },
          options,
        ),
      )
    case 'stream': {
      const chunks = options.arriving?.(question.chunks) ?? question.chunks
      const reply = await askOperation('stream', { chunks, ...thoughtInput(question) }, options)
      const answer = parseAnswer(reply)
      return answer.op === 'parse' ? { op: 'stream', outcomes: [answer.outcome] } : answer
    }
    case 'stop':
      return stopWordAnswer(question.text, options)
    default:
      return NO_REPLY
  }
}

async function stopWordAnswer(text: string, options: ProgramOptions): Promise<LawAnswer> {
  const reply = await askOperation('stop', { text }, options)
  if (reply.kind !== 'returned' || !isDict(reply.value)) return noAnswerOf(reply)
  const kept = reply.value.get('text')
  if (typeof kept !== 'string') return { op: 'none', how: 'garbled', reason: 'the output of "stop" has no "text"' }
  const answer = parseAnswer(await askOperation('parse', { text: kept }, options))
  return answer.op === 'parse' ? { op: 'stop', kept, outcome: answer.outcome } : answer
}

/** Times `parse` of the whole text: the answers to a stream with snapshots would be long themselves. */
async function timedAnswer(
  { chunks }: Extract<LawQuestion, { op: 'work' }>,
  options: ProgramOptions,
): Promise<LawAnswer> {
  const start = performance.now()
  const answer = parseAnswer(await askOperation('parse', { text: chunks.join('') }, options))
  if (answer.op === 'none') return answer
  return { op: 'work', work: { unit: 'milliseconds', amount: performance.now() - start, answered: 0 } }
}

function askOperation(
  op: ProgramOperation,
  input: Readonly<Record<string, PyValue>>,
  options: ProgramOptions,
): Promise<ProgramReply> {
  const members: (readonly [string, PyValue])[] = [...Object.entries(input), ['parallel_calls', true]]
  return options.ask(op, new Map(members))
}

function thoughtInput({
  thoughtInContent,
}: {
  readonly thoughtInContent?: boolean
}): Readonly<Record<string, boolean>> {
  return thoughtInContent === true ? { thought_in_content: true } : {}
}

function toolInput({ tools }: Extract<LawQuestion, { op: 'parse' }>): Readonly<Record<string, PyValue>> {
  return tools === undefined ? {} : { tools: fromPlain(tools) }
}

function parseAnswer(reply: ProgramReply): LawAnswer {
  // A rejection is an answer; its words are not compared.
  if (reply.kind === 'raised') return { op: 'parse', outcome: REJECTED }
  if (reply.kind !== 'returned') return noAnswerOf(reply)
  const { value } = reply
  if (!isDict(value)) return { op: 'none', how: 'garbled', reason: 'the output is not an object' }
  return { op: 'parse', outcome: outcomeOfOutput(value) }
}

function noAnswerOf(reply: ProgramReply): NoAnswer {
  if (reply.kind === 'raised') return { op: 'none', how: 'garbled', reason: `rejected: ${reply.error.message}` }
  if (reply.kind === 'skipped') return { op: 'none', how: 'skipped', reason: reply.reason }
  const reason = reply.kind === 'errored' ? reply.reason : 'the output is not an object'
  if (/gave no answer within/.test(reason)) return { op: 'none', how: 'hung', reason }
  return { op: 'none', how: /instead of answering/.test(reason) ? 'crashed' : 'garbled', reason }
}
