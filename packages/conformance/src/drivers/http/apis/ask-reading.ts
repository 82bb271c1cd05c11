import { API_PATHS, createReplyReader, NoReply, readReply, writeRequest } from '@callspec/apis'
import type { Api as ApiName, ApiReply, ApiRequest } from '@callspec/apis'
import { dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Api, HttpAnswer } from '../api.ts'
import { errorText } from '../api.ts'
import { saysOf } from '../prompt-view.ts'
import type { Seen, Tap } from './tap.ts'

/** What a server gave for one request: one of the readings of a text. */
export interface Reading {
  readonly api: ApiName
  readonly stream: boolean
  /** Null without a reply; `problem` says why. */
  readonly reply: ApiReply | null
  readonly problem: string | null
  /** Whether the server has no such path. */
  readonly isMissing: boolean
  /** As it came; of a whole reply its JSON. */
  readonly transcript: string
  /** What the server shows of its prompt and of the text that the model wrote; null if it shows nothing. */
  readonly seen: Seen | null
}

/** How requests are sent. */
export interface ReadingContext {
  readonly api: Api
  readonly model: string
  readonly tap: Tap | null
}

/** One request, in the form of its API. */
export interface ReadingRequest {
  readonly name: ApiName
  readonly stream: boolean
  readonly request: ApiRequest
  /** Members in addition, such as those of constrained decoding. */
  readonly others: PyDict
}

/** Whether a parser has left a call in a text is not the matter here: it is in all readings, or they differ. */
const UNJUDGED = { holdsCall: (): boolean => false }

const MISSING: ReadonlySet<number> = new Set([404, 405, 501])

/** Sends one request, and reads the reply by its API. Never throws for what the server does. */
export async function askReading(
  { api, model, tap }: ReadingContext,
  { name, stream, request, others }: ReadingRequest,
): Promise<Reading> {
  const body = writeRequest(request, name, { model, stream, others })
  const answer = await api.post(`${api.prefix}${API_PATHS[name]}`, Object.fromEntries<PyValue>(body))
  const seen = tap === null ? null : await tap.seen(name, body)
  const head = { api: name, stream, transcript: transcriptOf(answer), seen }
  const problem = problemOf(answer, stream)
  if (problem !== null) return { ...head, reply: null, problem, isMissing: isMissing(answer) }
  try {
    const reply = readReply(head.transcript, name, UNJUDGED)
    const error = reply.error === null ? null : `the reply is an error: ${reply.error}`
    return { ...head, reply, problem: error, isMissing: false }
  } catch (error) {
    if (!(error instanceof NoReply)) throw error
    // An event that is too large: what came before it.
    return { ...head, reply: createReplyReader(name, UNJUDGED).end(), problem: error.message, isMissing: false }
  }
}

function transcriptOf(answer: HttpAnswer): string {
  return answer.kind === 'none' ? '' : answer.kind === 'json' ? dumps(answer.value) : answer.text
}

function isMissing(answer: HttpAnswer): boolean {
  return answer.kind !== 'none' && MISSING.has(answer.status)
}

/** Why an answer is no reply of the asked kind. */
function problemOf(answer: HttpAnswer, stream: boolean): string | null {
  if (answer.kind === 'none') return `the server ${answer.reason}`
  if (answer.status >= 300) return `refused with ${answer.status}: ${errorText(answer)}`
  const isStream = answer.kind === 'other' && answer.contentType.includes('text/event-stream')
  return isStream === stream
    ? null
    : `it ${saysOf(answer)}, where ${stream ? 'a stream' : 'a whole reply'} was asked for`
}
