import type { Completion } from './completion.ts'
import type { LedgerEntry } from './ledger.ts'
import type { TransportEffects, TransportRule } from './transport.ts'
import type { Api } from './wire.ts'
import { framed, streamBodies, wholeBody } from './wire.ts'

/**
 * What a server does with a request: never answer, close the connection, or answer. The body is written piece by piece;
 * then the answer is complete, the connection is closed in the middle of it, or nothing more comes.
 */
export type SimResponse =
  | { readonly kind: 'silence' }
  | { readonly kind: 'reset' }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: readonly (string | Uint8Array)[]
      readonly end: 'complete' | 'reset' | 'stall'
      /** The time that the reply takes, virtual unless the server makes it real; null for what is no completion. */
      readonly latencyMs: number | null
    }

type Answer = Extract<SimResponse, { kind: 'answer' }>

/** How a completion is asked for. */
export interface ReplyStyle {
  readonly api: Api
  readonly isStream: boolean
  readonly effects: TransportEffects
  readonly latencyMs: number
}

export function jsonResponse(status: number, value: unknown): Answer {
  return answer(status, 'application/json', [JSON.stringify(value)])
}

/** An error as OpenAI-compatible servers send it. */
export function errorResponse(
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): Answer {
  return jsonResponse(status, { error: { message, type: 'invalid_request_error', param: null, code } })
}

/** The completion, whole or streamed. */
export function replyResponse(completion: Completion, style: ReplyStyle): Answer {
  const { api, isStream, effects, latencyMs } = style
  const { manners } = effects
  const pieces = isStream
    ? framed(streamBodies(completion, { api, manners }), manners)
    : [JSON.stringify(wholeBody(completion, { api, manners }))]
  const size = manners.get('write')?.[0]
  const body = size === undefined ? [pieces.join('')] : bytePieces(pieces.join(''), Number(size))
  const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
  return {
    ...answer(200, type, body),
    headers: { 'content-type': type, [LATENCY_HEADER]: String(latencyMs) },
    latencyMs,
  }
}

/** What comes instead of the completion. */
export function failureResponse(rule: TransportRule, completion: Completion, style: ReplyStyle): SimResponse {
  switch (rule.name) {
    case 'timeout':
      return { kind: 'silence' }
    case 'conn_reset':
      return { kind: 'reset' }
    case 'stream_cut':
      return brokenOff(completion, style, { after: repeatCount(rule), end: 'reset' })
    case 'stream_end':
      return brokenOff(completion, style, { after: repeatCount(rule), end: 'complete' })
    case 'stall':
      return brokenOff(completion, style, { after: repeatCount(rule), end: 'stall' })
    case 'bad_json_body':
      return answer(200, 'application/json', ['{"id": "chatcmpl-sim-broken", "choices": [{"index": 0, "mess'])
    case 'html_body':
      return answer(200, 'text/html', [PAGE])
    case 'empty_body':
      return answer(200, 'application/json', [])
    case 'huge_body':
      return answer(200, 'application/json', [
        `{"padding": "${'x'.repeat(Math.max(0, Number(rule.arguments[0] ?? 0)))}"}`,
      ])
    default:
      return statusResponse(rule)
  }
}

/** The labels of a turn that failed. The runner may retry: then the row is replaced. */
export function failureLabels({ name }: TransportRule): FailureLabels {
  const end = name === 'context_length' ? 'context_overflow' : name === 'content_filter' ? 'refused' : 'infra_error'
  const blames = name === 'context_length' ? 'prompt' : 'server'
  return { strict: 'infra_error', lenient: 'infra_error', end, blames }
}

type FailureLabels = Pick<LedgerEntry, 'strict' | 'lenient' | 'end' | 'blames'> & Partial<LedgerEntry>

const PAGE = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>'

function answer(status: number, type: string, body: Answer['body']): Answer {
  return { kind: 'answer', status, headers: { 'content-type': type }, body, end: 'complete', latencyMs: null }
}

/** The header by which a client learns of virtual time. */
const LATENCY_HEADER = 'x-callspec-latency-ms'

/** Only so many events of a stream, or half of a whole reply. */
function brokenOff(
  completion: Completion,
  { api, isStream, effects }: ReplyStyle,
  { after, end }: { readonly after: number; readonly end: Answer['end'] },
): Answer {
  if (!isStream) {
    const whole = JSON.stringify(wholeBody(completion, { api, manners: effects.manners }))
    return { ...answer(200, 'application/json', [whole.slice(0, whole.length / 2)]), end }
  }
  const events = framed(streamBodies(completion, { api, manners: effects.manners }), effects.manners)
  const [next = ''] = events.slice(after, after + 1)
  const half = end === 'complete' ? [next.slice(0, next.length / 2)] : []
  return { ...answer(200, 'text/event-stream; charset=utf-8', [...events.slice(0, after), ...half]), end }
}

function repeatCount({ arguments: [count] }: TransportRule): number {
  return Math.max(0, Number(count ?? 1) || 0)
}

function statusResponse({ name, arguments: args }: TransportRule): Answer {
  if (name === '502') return answer(502, 'text/html', [PAGE])
  const known = STATUS_CODES.get(name) ?? { status: Number(name), code: `sim_${name}` }
  const message = MESSAGES.get(name) ?? `The simulated server answers ${name}, as its name asks for.`
  const plain = errorResponse(known.status, { code: known.code, message })
  const [, header = 'none', value] = args
  return { ...plain, headers: { ...plain.headers, ...retryHeader(header, value) } }
}

/** The three ways in which servers say when to come back. */
function retryHeader(header: string, value: string | undefined): Readonly<Record<string, string>> {
  switch (header) {
    case 's':
      return { 'retry-after': value ?? '1' }
    case 'ms':
      return { 'retry-after-ms': value ?? '20' }
    case 'date':
      // A date in the past when it is read: a client cannot wait for a fixed date.
      return { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }
    default:
      return {}
  }
}

const STATUS_CODES: ReadonlyMap<string, { readonly status: number; readonly code: string }> = new Map([
  ['429', { status: 429, code: 'rate_limit_exceeded' }],
  ['401', { status: 401, code: 'invalid_api_key' }],
  ['403', { status: 403, code: 'permission_denied' }],
  ['404', { status: 404, code: 'model_not_found' }],
  ['context_length', { status: 400, code: 'context_length_exceeded' }],
  ['content_filter', { status: 400, code: 'content_filter' }],
])

const MESSAGES: ReadonlyMap<string, string> = new Map([
  [
    'context_length',
    "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.",
  ],
  ['content_filter', 'The response was filtered.'],
])

function bytePieces(text: string, size: number): readonly Uint8Array[] {
  const bytes = new TextEncoder().encode(text)
  const step = Math.max(1, size || 1)
  return Array.from({ length: Math.ceil(bytes.length / step) }, (_, at) => bytes.subarray(at * step, (at + 1) * step))
}
