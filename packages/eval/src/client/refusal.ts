import { excerpt } from '../text/excerpt.ts'
import { isRecord, parsedJson, textOf } from '../text/json.ts'
import { CompletionError, infraError, serverSaid, systemCode } from './failure.ts'
import type { FailureDetails } from './failure.ts'
import type { LeanResponse } from './lean-fetch.ts'

/** What an answer with a bad status means: that is what stands in its `error`, or its text. Never throws. */
export async function serverRefusal({ status, headers, text }: LeanResponse): Promise<CompletionError> {
  const body = await text().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
  const value = parsedJson(body)
  const error = isRecord(value) ? value['error'] : undefined
  const { code, type, failed_generation: generation } = isRecord(error) ? error : {}
  const said = messageIn(error) ?? (isRecord(value) ? '' : body)
  return serverSaid({
    ...{ status, headers, generation: textOf(generation) },
    code: `${wordOf(code)} ${wordOf(type)}`,
    message: `${status} ${said === '' ? 'status code (no body)' : said}`,
  })
}

function wordOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value)
}

function messageIn(error: unknown): string | null {
  const said = isRecord(error) ? error['message'] : undefined
  if (typeof said === 'string' && said !== '') return said
  return isNothing(said) ? (isNothing(error) ? null : JSON.stringify(error)) : JSON.stringify(said)
}

/** Whether a value says nothing. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

const TIMED_OUT = /timed? ?out/i

/** What it means that a request got no answer. */
export function connectionFailure(error: unknown): CompletionError {
  if (error instanceof CompletionError) return error
  if (TIMED_OUT.test(`${String(error)} ${error instanceof Error ? String(error.cause) : ''}`))
    return infraError('the server did not answer in time', true)
  const code = systemCode(error)
  if (code === 'ECONNREFUSED') return unreachable('refused the connection. Is the server running?', NO_CONNECTION)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return unreachable('has no address. Is the host name right?', {
      ...NO_CONNECTION,
      isRetryable: code === 'EAI_AGAIN',
    })
  if (code !== null && NO_TLS.test(code))
    return unreachable(`speaks no TLS (${code}). Is it http instead of https?`, FINAL)
  if (code !== null && BAD_CERTIFICATE.test(code)) {
    const advice = 'NODE_EXTRA_CA_CERTS may name a file of further ones to trust.'
    return unreachable(`has a certificate that is not trusted (${code}). ${advice}`, FINAL)
  }
  const message = `the connection failed (${code ?? excerpt(error instanceof Error ? error.message : String(error))})`
  return new CompletionError({ kind: 'infra', status: null, message }, { isRetryable: true, isConnection: true })
}

const FINAL: FailureDetails = { isRetryable: false }
/** Before the first answer the address is most likely wrong; later the server may come back, see `Breaker`. */
const NO_CONNECTION: FailureDetails = { isRetryable: false, isConnection: true }

const NO_TLS = /^(?:EPROTO|ERR_SSL_\w+)$/
const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/

function unreachable(message: string, details: FailureDetails): CompletionError {
  return new CompletionError({ kind: 'unreachable', status: null, message }, details)
}
