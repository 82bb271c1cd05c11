import { standardKind } from '@callspec/python'
import type { Reply } from '../implementation.ts'
import { shortened } from '../comparison/visible.ts'
import type { Omitted } from '../protocol/declaration.ts'
import type { ClientAnswer } from './client-answer.ts'
import { answerDifference, clientAnswer, shownItem } from './client-answer.ts'
import type { ClientCase } from './client-cases.ts'
import { ownReading, streamText } from './client-stream.ts'
import type { StreamRequests } from './stream-server.ts'

/**
 * How a stream was read right: `as-said`; `reported`, an error of a stream that breaks a law; `unfinished`, without a finish; or `shown`:
 * with the broken arguments as they came, so that the caller sees them.
 */
export type ClientGrade = 'as-said' | 'reported' | 'unfinished' | 'shown'

/**
 * How it was read wrong: `misread`, something else than the reply; `refused`, an error where no law is broken; or `missed`, a finished
 * one where the reply cannot be known.
 */
export type ClientFault = 'misread' | 'refused' | 'missed'

/** The verdict on one stream. */
export type ClientVerdict =
  | { readonly kind: 'passed'; readonly grade: ClientGrade }
  /** `part`: what differs, or the error that was raised; `got`: the wrong finish. Equal failures have equal ones. */
  | {
      readonly kind: 'failed'
      readonly fault: ClientFault
      readonly part: string
      readonly got: string
      readonly reason: string
    }
  /** The client did not read it, or not to its end. */
  | { readonly kind: 'errored'; readonly reason: string }
  | { readonly kind: 'skipped'; readonly reason: string }

/** An answer, and what the server saw meanwhile. */
export interface AnsweredStream {
  readonly reply: Reply
  readonly requests: StreamRequests
  /** What is not compared: what the client does not give, or reads wrong without a change. */
  readonly omits: readonly Omitted[]
}

/** Judges what a client understood of a stream. */
export function judgeClient(item: ClientCase, { reply, requests, omits }: AnsweredStream): ClientVerdict {
  if (reply.kind === 'skipped' || reply.kind === 'errored') return reply
  const refused = requests.refused[0]
  if (requests.served === 0)
    return {
      kind: 'errored',
      reason: refused === undefined ? 'sent no request to base_url' : `asked otherwise: ${refused}`,
    }
  const answer =
    reply.kind === 'returned'
      ? clientAnswer(reply.value)
      : { items: [], finish: null, usage: null, error: `${reply.error.type}: ${reply.error.message}` }
  const { change, said, api } = item
  if (change.kind !== 'sound' && answer.error !== null) return { kind: 'passed', grade: 'reported' }
  // A call that the limit has cut cannot be called: an error says so, and so does a reply without it that is not over.
  const rest = said.items.filter((each) => each.kind !== 'call' || standardKind(each.arguments) === 'object')
  const isCut = rest.length < said.items.length
  if (isCut && answer.error !== null) return { kind: 'passed', grade: 'reported' }
  if (answer.error !== null)
    return {
      kind: 'failed',
      fault: 'refused',
      part: errorPart(answer.error),
      got: '',
      reason: `raised ${shortened(answer.error, 160)}`,
    }
  if (change.kind === 'lost') {
    if (answer.finish === null && !omits.includes('finish')) return { kind: 'passed', grade: 'unfinished' }
    if (showsAsSent(item, answer, omits)) return { kind: 'passed', grade: 'shown' }
    const given = answer.items.filter((each) => each.kind === 'call' || each.text !== '')
    const items = given.length === 0 ? 'nothing' : given.slice(0, 2).map(shownItem).join(', ')
    const reason = `gave ${items}, finish ${answer.finish ?? 'none'}, and no error`
    return { kind: 'failed', fault: 'missed', part: '', got: '', reason }
  }
  // A broken reply need not count its tokens.
  const open: readonly Omitted[] = change.kind === 'readable' ? [...change.open, 'usage'] : change.open
  const difference = answerDifference(answer, { api, omits, said, open })
  const lacksCut = isCut && answerDifference(answer, { api, omits, said: { ...said, items: rest }, open }) === null
  if (lacksCut) return { kind: 'passed', grade: 'unfinished' }
  if (difference === null) return { kind: 'passed', grade: 'as-said' }
  if (showsAsSent(item, answer, omits)) return { kind: 'passed', grade: 'shown' }
  const { part, got, text } = difference
  return { kind: 'failed', fault: 'misread', part, got, reason: `gave ${text}` }
}

/** Whether arguments that are no JSON are given as they came. */
function showsAsSent({ change, stream, api }: ClientCase, answer: ClientAnswer, omits: readonly Omitted[]): boolean {
  const own = change.showsArguments ? ownReading(streamText(stream), api) : null
  if (own === null) return false
  const said = { items: own.items, finish: answer.finish ?? '', usage: null }
  return answerDifference(answer, { api, omits, said, open: ['usage', 'finish'] }) === null
}

/** An error without what depends on the stream: numbers and quoted texts. */
function errorPart(error: string): string {
  return error.replaceAll(/"[^"]*"|'[^']*'|\d+/g, '…').slice(0, 60)
}
