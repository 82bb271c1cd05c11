import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import type { Question, Reply } from '../implementation.ts'
import { requestLine, runRequest } from '../protocol/request.ts'
import { outputProblem, ProtocolError, readAnswer } from '../protocol/response.ts'
import { withLastWords } from './last-words.ts'
import type { Link, LinkEvent } from './link.ts'

/** One question under way. */
export interface Exchange {
  readonly link: Link
  readonly seq: number
  /** Its operation, or `step` for one step of a stream: says which outputs are well formed. */
  readonly op: string
  /** When the time of the whole case is over, by `performance.now()`. */
  readonly deadline: number
  readonly timeLimit: number
}

/** What came of a question. */
export interface Outcome {
  readonly reply: Reply
  /** Whether the process cannot be asked any more: it ended, hangs, or its answers cannot be told apart. */
  readonly isLost: boolean
}

/** Waits for the answer to a question that was sent. Whatever else arrives makes the case errored. */
export async function listen(exchange: Exchange): Promise<Outcome> {
  const { link, deadline } = exchange
  let fault: string | null = null
  for (;;) {
    const event = await link.next(deadline)
    const step = judge(event, exchange)
    if (step.kind === 'waits') {
      fault ??= step.fault
      continue
    }
    // A second answer in the same chunk is found here; one that comes later is the next question's trouble.
    while (link.takeIf((each) => answers(each, exchange))) fault ??= 'answered twice'
    if (fault === null) return { reply: step.reply, isLost: step.isLost }
    return { reply: { kind: 'errored', reason: fault }, isLost: step.isLost }
  }
}

/** Feeds the chunks one by one, each answered by what has been read so far or by what is new. */
export async function askStream(exchange: Exchange, question: Question): Promise<Outcome> {
  const { link, seq } = exchange
  const { chunks, rest } = withoutChunks(question.input)
  link.send(requestLine(runRequest(seq, { ...question, input: rest })))
  const steps: PyValue[] = []
  const requests = [...chunks.map((chunk) => ({ cmd: 'feed', seq, chunk }) as const), { cmd: 'end', seq } as const]
  for (const request of requests) {
    link.send(requestLine(request))
    const outcome = await listen({ ...exchange, op: 'step' })
    if (outcome.isLost || outcome.reply.kind !== 'returned') return outcome
    steps.push(outcome.reply.value)
  }
  return { reply: assembled(steps), isLost: false }
}

function withoutChunks(input: PyDict): { readonly chunks: readonly string[]; readonly rest: PyDict } {
  const rest = new Map(input)
  const chunks = rest.get('chunks')
  rest.delete('chunks')
  return { chunks: isList(chunks) ? chunks.map((chunk) => (typeof chunk === 'string' ? chunk : '')) : [], rest }
}

function assembled(steps: readonly PyValue[]): Reply {
  const deltas = steps.filter((step) => isDict(step) && step.has('delta'))
  if (deltas.length === steps.length) return { kind: 'returned', value: new Map([['deltas', steps]]) }
  if (deltas.length > 0) return { kind: 'errored', reason: 'answered one stream with deltas and with whole readings' }
  return {
    kind: 'returned',
    value: new Map<string, PyValue>([
      ['snapshots', steps.slice(0, -1)],
      ['final', steps.at(-1) ?? null],
    ]),
  }
}

type Step =
  | { readonly kind: 'waits'; readonly fault: string }
  | { readonly kind: 'done'; readonly reply: Reply; readonly isLost: boolean }

function judge(event: LinkEvent, exchange: Exchange): Step {
  const { link, seq, op, timeLimit } = exchange
  switch (event.kind) {
    case 'silence':
      return lost(withLastWords(`gave no answer within ${timeLimit} ms`, link.lastWords()))
    case 'lost':
      return lost(withLastWords(`${event.reason} instead of answering`, link.lastWords()))
    case 'rubbish':
      return { kind: 'waits', fault: event.reason }
    case 'message':
      return judgeMessage(event.message, { seq, op })
  }
}

function judgeMessage(message: PyDict, { seq, op }: Pick<Exchange, 'seq' | 'op'>): Step {
  const given = message.get('seq')
  try {
    const answer = readAnswer(message)
    if (answer.seq < seq) return { kind: 'waits', fault: `answered question ${answer.seq} again` }
    if (answer.seq > seq) return lost(`answered question ${answer.seq}; it was asked question ${seq}`)
    const problem = answer.reply.kind === 'returned' ? outputProblem(op, answer.reply.value) : null
    return done(problem === null ? answer.reply : { kind: 'errored', reason: problem })
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    if (Number(given) === seq) return done({ kind: 'errored', reason: error.message })
    return { kind: 'waits', fault: error.message }
  }
}

function answers(event: LinkEvent, { seq }: Exchange): boolean {
  return event.kind === 'message' && Number(event.message.get('seq')) === seq
}

function done(reply: Reply): Step {
  return { kind: 'done', reply, isLost: false }
}

function lost(reason: string): Step {
  return { kind: 'done', reply: { kind: 'errored', reason }, isLost: true }
}
