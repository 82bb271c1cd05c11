import { BrokenImplementation } from '../broken-implementation.ts'
import type { Implementation, Question, Reply } from '../implementation.ts'
import type { Declaration } from '../protocol/declaration.ts'
import { PROTOCOL_VERSION, requestLine, runRequest } from '../protocol/request.ts'
import { ProtocolError, readDeclaration } from '../protocol/response.ts'
import { ask, askStream } from './exchange.ts'
import type { Exchange, Outcome } from './exchange.ts'
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
 * Starts a command that speaks the protocol in a session, and gives it as an implementation. A process that crashes,
 * hangs or talks nonsense costs the case at hand; it is ended with everything it has forked, and started again.
 *
 * @throws BrokenImplementation when it does not answer `start` as the protocol says
 */
export async function openSession(command: string, options: SessionOptions): Promise<Implementation> {
  const first = await start(command, options)
  let link: Link | null = first.link
  let failedStarts = 0
  let seq = 0
  let lastFailure = ''
  const restart = async (): Promise<Link | null> => {
    if (failedStarts >= MAX_FAILED_STARTS) return null
    try {
      link = (await start(command, options)).link
      failedStarts = 0
    } catch (error) {
      if (!(error instanceof BrokenImplementation)) throw error
      failedStarts += 1
      lastFailure = error.message
    }
    return link
  }
  const answer = async (question: Question): Promise<Reply> => {
    const current = link ?? (await restart())
    if (current === null) return { kind: 'errored', reason: `cannot be started again: ${lastFailure}` }
    seq += 1
    const outcome = await answerOver(current, { question, seq, timeLimit: options.timeLimit })
    if (!outcome.isLost) return outcome.reply
    current.kill()
    link = null
    return outcome.reply
  }
  const close = async (): Promise<void> => {
    link?.send(requestLine({ cmd: 'stop' }))
    await link?.end()
    link = null
  }
  return { about: first.declaration, answer, close }
}

function answerOver(
  link: Link,
  { question, seq, timeLimit }: { question: Question; seq: number; timeLimit: number },
): Promise<Outcome> {
  const exchange: Exchange = { link, seq, op: question.op, deadline: performance.now() + timeLimit, timeLimit }
  if (question.op === 'stream') return askStream(exchange, question)
  return ask(exchange, requestLine(runRequest(seq, question)))
}

async function start(
  command: string,
  { timeLimit, startLimit = Math.max(20_000, timeLimit), version }: SessionOptions,
): Promise<{ readonly link: Link; readonly declaration: Declaration }> {
  const link = openLink(command)
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
