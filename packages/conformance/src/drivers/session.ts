import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Implementation, Question, Reply } from '../implementation.ts'
import { MAX_RAW, BrokenImplementation } from '../implementation.ts'
import type { Declaration } from '../protocol/declaration.ts'
import {
  PROTOCOL_VERSION,
  ProtocolError,
  outputProblem,
  readAnswer,
  readDeclaration,
  requestLine,
  runRequest,
} from '../protocol/messages.ts'
import { shortened } from '../comparison/visible.ts'
import type { Link, LinkEvent } from './process.ts'
import { openLink, withLastWords } from './process.ts'
import { answerPrepared } from './prepared-question.ts'

/** Time limits, and the version of the runner. */
export interface SessionOptions {
  /** For one case, in milliseconds. */
  readonly timeLimit: number
  /** For the answer to `start`, in milliseconds. Default: 20 seconds, or the time limit where it is longer. */
  readonly startLimit?: number
  /** The version of callspec, for the implementation's information. */
  readonly version: string
}

/** After so many starts without success in a row no further one is tried. */
const MAX_FAILED_STARTS = 3

/**
 * So many questions are sent before the first of them is answered: the program finds the next one in its pipe and need
 * not wait for the runner.
 */
export const QUESTIONS_AHEAD = 16

interface StartOptions extends SessionOptions {
  /** Receives the process before it has answered `start`. */
  readonly onOpened?: (link: Link) => void
}

const CLOSED: Reply = { kind: 'errored', reason: 'the session is closed' }

interface Job {
  readonly question: Question
  readonly settle: (reply: Reply) => void
  readonly fail: (error: unknown) => void
  /** The number under which the running process was asked; null while it was not. */
  seq: number | null
}

/**
 * Starts a command that speaks the protocol in a session, and gives it as an implementation. A process that crashes,
 * hangs or talks nonsense costs the case at hand; it is ended with everything it has forked, and started again.
 *
 * @throws BrokenImplementation when it does not answer `start` as the protocol says
 */
export async function openSession(command: string, options: SessionOptions): Promise<Implementation> {
  const { timeLimit } = options
  const first = await startProcess(command, options)
  // The newest process, also while it has not answered `start` yet.
  let newest: Link = first.link
  const restart = limitedRestart(() => startProcess(command, { ...options, onOpened: (opened) => (newest = opened) }))
  const queue: Job[] = []
  let link: Link | null = first.link
  let isWorking = false
  let isClosed = false
  let lastSeq = 0

  const sendAhead = (): void => {
    const ahead = queue.slice(0, QUESTIONS_AHEAD)
    // Several at once, as soon as half of them are answered: each write wakes the program up.
    if (ahead.filter(({ seq }) => seq !== null).length > QUESTIONS_AHEAD / 2) return
    const lines = unsent(ahead).map((job) => {
      job.seq = lastSeq += 1
      return requestLine(runRequest(job.seq, job.question))
    })
    if (lines.length > 0) link?.send(lines.join('\n'))
  }
  const workOff = async (job: Job): Promise<Reply> => {
    // A question after the end must not start a process: it would never be ended.
    if (!isClosed) link ??= await restart.link()
    if (isClosed) return CLOSED
    if (link === null) return { kind: 'errored', reason: `cannot be started again: ${restart.lastFailure()}` }
    sendAhead()
    const { question } = job
    const exchange = { link, seq: job.seq ?? (lastSeq += 1), op: question.op, deadline: performance.now() + timeLimit }
    const outcome = await (question.op === 'stream' ? askStream : awaitAnswer)({ ...exchange, timeLimit }, question)
    if (outcome.isLost) {
      link.kill()
      link = null
      for (const each of queue) each.seq = null
    }
    return outcome.reply
  }
  const work = async (): Promise<void> => {
    isWorking = true
    for (let job = queue[0]; job !== undefined; job = queue[0]) {
      const reply = await workOff(job).catch(job.fail)
      queue.shift()
      if (reply !== undefined) job.settle(reply)
    }
    isWorking = false
  }
  const answer = (question: Question): Promise<Reply> =>
    new Promise((settle, fail) => {
      queue.push({ question, settle, fail, seq: null })
      if (!isWorking) void work()
      else if (link !== null) sendAhead()
    })
  const close = async (): Promise<void> => {
    isClosed = true
    // No caller waits for open questions, and a program that answers them ends late.
    if (queue.length > 0) newest.kill()
    link?.send(requestLine({ cmd: 'stop' }))
    await link?.end()
    link = null
  }
  return { about: first.declaration, answer: answerPrepared(first.declaration, answer), close }
}

/** What may be sent now of the next questions: nothing from a stream on, which is a conversation. */
function unsent(ahead: readonly Job[]): readonly Job[] {
  const stream = ahead.findIndex(({ question }) => question.op === 'stream')
  return (stream === -1 ? ahead : ahead.slice(0, stream)).filter(({ seq }) => seq === null)
}

/** Starts again, until it has failed too often in a row: a program that cannot start costs its time only so often. */
function limitedRestart(begin: () => Promise<{ readonly link: Link }>): {
  readonly link: () => Promise<Link | null>
  readonly lastFailure: () => string
} {
  let failed = 0
  let lastFailure = ''
  const link = async (): Promise<Link | null> => {
    if (failed >= MAX_FAILED_STARTS) return null
    try {
      const started = await begin()
      failed = 0
      return started.link
    } catch (error) {
      if (!(error instanceof BrokenImplementation)) throw error
      failed += 1
      lastFailure = error.message
      return null
    }
  }
  return { link, lastFailure: () => lastFailure }
}

async function startProcess(
  command: string,
  { timeLimit, startLimit = Math.max(20_000, timeLimit), version, onOpened }: StartOptions,
): Promise<{ readonly link: Link; readonly declaration: Declaration }> {
  const link = openLink(command)
  onOpened?.(link)
  const broken = (reason: string): BrokenImplementation => {
    link.kill()
    return new BrokenImplementation(`${command}: ${withLastWords(reason, link.lastWords())}`)
  }
  link.send(requestLine({ cmd: 'start', protocol: PROTOCOL_VERSION, runner: { name: 'callspec', version } }))
  const event = await link.next(performance.now() + startLimit)
  if (event.kind === 'silence')
    throw broken(`did not answer "start" within ${startLimit} ms (an answer is a line, flushed at once)`)
  if (event.kind === 'lost') throw broken(`${event.reason} before it answered "start"`)
  if (event.kind === 'rubbish') throw broken(event.reason)
  try {
    return { link, declaration: readDeclaration(event.message) }
  } catch (error) {
    throw error instanceof ProtocolError ? broken(error.message) : error
  }
}

export interface Exchange {
  readonly link: Link
  readonly seq: number
  /** Its operation, or `step` for one step of a stream: says which outputs are well formed. */
  readonly op: string
  /** When the time of the whole case is over, by `performance.now()`. */
  readonly deadline: number
  readonly timeLimit: number
}

export interface ExchangeOutcome {
  readonly reply: Reply
  /** Whether the process cannot be asked any more: it ended, hangs, or its answers cannot be told apart. */
  readonly isLost: boolean
}

/** Waits for the answer to a question that was sent. Any other line makes the case errored. */
export async function awaitAnswer(exchange: Exchange): Promise<ExchangeOutcome> {
  const { link, deadline } = exchange
  let fault: string | null = null
  let raw = ''
  for (;;) {
    const event = await link.next(deadline)
    if ('raw' in event) raw = joinedRaw(raw, event.raw)
    const step = judgeEvent(event, exchange)
    if (step.kind === 'waits') {
      fault ??= step.fault
      continue
    }
    // A second answer in the same chunk is found here; one that comes later makes the next question errored.
    while (link.takeIf((each) => answersQuestion(each, exchange))) fault ??= 'answered twice'
    const reply: Reply = fault === null ? step.reply : { kind: 'errored', reason: fault }
    return { reply: withRaw(reply, raw), isLost: step.isLost }
  }
}

function joinedRaw(before: string, next: string): string {
  return shortened(before === '' ? next : `${before}\n${next}`, MAX_RAW)
}

function withRaw(reply: Reply, raw: string): Reply {
  return raw === '' || reply.kind === 'skipped' ? reply : { ...reply, raw }
}

/** Feeds the chunks one by one, each answered by what has been read so far or by what is new. */
export async function askStream(exchange: Exchange, question: Question): Promise<ExchangeOutcome> {
  const { link, seq } = exchange
  const { chunks, rest } = withoutChunks(question.input)
  link.send(requestLine(runRequest(seq, { ...question, input: rest })))
  const steps: PyValue[] = []
  let raw = ''
  const requests = [...chunks.map((chunk) => ({ cmd: 'feed', seq, chunk }) as const), { cmd: 'end', seq } as const]
  for (const request of requests) {
    link.send(requestLine(request))
    const outcome = await awaitAnswer({ ...exchange, op: 'step' })
    if ('raw' in outcome.reply) raw = joinedRaw(raw, outcome.reply.raw ?? '')
    if (outcome.isLost || outcome.reply.kind !== 'returned') return { ...outcome, reply: withRaw(outcome.reply, raw) }
    steps.push(outcome.reply.value)
  }
  return { reply: withRaw(assembled(steps), raw), isLost: false }
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

function judgeEvent(event: LinkEvent, exchange: Exchange): Step {
  const { link, seq, op, timeLimit } = exchange
  switch (event.kind) {
    case 'silence':
      return lostStep(withLastWords(`gave no answer within ${timeLimit} ms`, link.lastWords()))
    case 'lost':
      return lostStep(withLastWords(`${event.reason} instead of answering`, link.lastWords()))
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
    if (answer.seq > seq) return lostStep(`answered question ${answer.seq}; it was asked question ${seq}`)
    const problem = answer.reply.kind === 'returned' ? outputProblem(op, answer.reply.value) : null
    return doneStep(problem === null ? answer.reply : { kind: 'errored', reason: problem })
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    if (Number(given) === seq) return doneStep({ kind: 'errored', reason: error.message })
    return { kind: 'waits', fault: error.message }
  }
}

function answersQuestion(event: LinkEvent, { seq }: Exchange): boolean {
  return event.kind === 'message' && Number(event.message.get('seq')) === seq
}

function doneStep(reply: Reply): Step {
  return { kind: 'done', reply, isLost: false }
}

function lostStep(reason: string): Step {
  return { kind: 'done', reply: { kind: 'errored', reason }, isLost: true }
}
