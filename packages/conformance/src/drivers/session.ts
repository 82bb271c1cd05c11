import { BrokenImplementation } from '../broken-implementation.ts'
import type { Implementation, Question, Reply } from '../implementation.ts'
import type { Declaration } from '../protocol/declaration.ts'
import { PROTOCOL_VERSION, requestLine, runRequest } from '../protocol/request.ts'
import { ProtocolError, readDeclaration } from '../protocol/response.ts'
import { askStream, listen } from './exchange.ts'
import { withLastWords } from './last-words.ts'
import { openLink } from './link.ts'
import type { Link } from './link.ts'

/** How long is waited for an implementation, and who is asking. */
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
  /** Hears of the process before it has answered `start`. */
  readonly onOpened?: (link: Link) => void
}

const CLOSED: Reply = { kind: 'errored', reason: 'the session is closed' }

/** A question in the queue of a session. */
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
  const first = await start(command, options)
  // The newest process, also while it has not answered `start` yet.
  let newest: Link = first.link
  const restart = limitedRestart(() => start(command, { ...options, onOpened: (opened) => (newest = opened) }))
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
    // What is still asked after the end must not start a process that nobody ends.
    if (!isClosed) link ??= await restart.link()
    if (isClosed) return CLOSED
    if (link === null) return { kind: 'errored', reason: `cannot be started again: ${restart.lastFailure()}` }
    sendAhead()
    const { question } = job
    const exchange = { link, seq: job.seq ?? (lastSeq += 1), op: question.op, deadline: performance.now() + timeLimit }
    const outcome = await (question.op === 'stream' ? askStream : listen)({ ...exchange, timeLimit }, question)
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
    // Nobody waits for what is still asked, and a program that answers it would take its time to end.
    if (queue.length > 0) newest.kill()
    link?.send(requestLine({ cmd: 'stop' }))
    await link?.end()
    link = null
  }
  return { about: first.declaration, answer, close }
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

async function start(
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
  if (event.kind === 'silence') throw broken(`did not answer "start" within ${startLimit} ms`)
  if (event.kind === 'lost') throw broken(`${event.reason} before it answered "start"`)
  if (event.kind === 'rubbish') throw broken(event.reason)
  try {
    return { link, declaration: readDeclaration(event.message) }
  } catch (error) {
    throw error instanceof ProtocolError ? broken(error.message) : error
  }
}
