import { excerpt } from '../text/excerpt.ts'
import { parsedJson } from '../text/json.ts'
import type { OutputRow, ReadRow } from './output-rows.ts'
import { NO_MODEL } from './output-rows.ts'
import type { NativeCall } from '../trace/completion.ts'
import type { Json, LoggedMessage } from './logged-message.ts'
import { callOf, stringOrNull, parseRecord, loggedTools, objectOf, loggedMessage, listOf } from './logged-message.ts'

/** The answer of a server, and why it ended. */
export interface LoggedAnswer extends LoggedMessage {
  readonly finishReason: string | null
}

/** Reads the body of an answer of OpenAI's Responses API, a list of items under `output`; null for any other body. Never throws. */
export function responsesAnswer(body: Json): LoggedAnswer | null {
  const items = listOf(body['output'])
  if (items === null || body['object'] !== 'response') return null
  const said = items.map(objectOf).filter((item) => item !== null)
  const toolCalls = said.flatMap((item): readonly NativeCall[] =>
    item['type'] === 'function_call' ? [callOf(stringOrNull(item['call_id']) ?? '', item)] : [],
  )
  return {
    text: textIn(said, 'message', 'content'),
    reasoning: textIn(said, 'reasoning', 'summary'),
    toolCalls,
    finishReason: finishReasonOf(body, toolCalls.length > 0),
  }
}

/** The texts of the parts of all items of a type. */
function textIn(items: readonly Json[], type: string, member: string): string {
  const parts = items.filter((item) => item['type'] === type).flatMap((item) => listOf(item[member]) ?? [])
  return parts.map((part) => stringOrNull(objectOf(part)?.['text']) ?? '').join('')
}

/** In the words of the chat API. */
function finishReasonOf(body: Json, hasCalls: boolean): string | null {
  const why = stringOrNull(objectOf(body['incomplete_details'])?.['reason'])
  if (why !== null) return why === 'max_output_tokens' ? 'length' : why
  if (body['status'] !== 'completed') return null
  return hasCalls ? 'tool_calls' : 'stop'
}

/**
 * Reads a line of a log of an OpenAI-compatible server: a chat or text completion, or an answer of the Responses API; one with its
 * request (`request`, `response`), as proxies write them; or a line of a Batch output file (`response.body`). Every choice is an output.
 * Never throws.
 */
export function readLoggedReply(line: string): ReadRow {
  const record = parseRecord(line)
  return record.kind === 'object' ? readAnswer(record.value) : record
}

/** The same for a parsed row. A request that was answered with an error is `failed`, not the model's fault. */
export function readAnswer(whole: Json): ReadRow {
  const { response, body } = answerIn(whole)
  const chat = chatAnswers(body)
  const said = chat.length > 0 ? chat : [responsesAnswer(body)].filter((answer) => answer !== null)
  if (said.length === 0) {
    const reason = failureOf(whole, { response, body })
    return reason === null
      ? { kind: 'unreadable', reason: 'it has no "choices", so it is no answer of a model' }
      : { kind: 'failed', reason }
  }
  const request = bodyObject(whole['request'])
  const given = bodyObject(request?.['body'])?.['tools'] ?? request?.['tools'] ?? whole['tools'] ?? body['tools']
  const tools = loggedTools(given)
  const model = stringOrNull(body['model']) ?? stringOrNull(request?.['model']) ?? NO_MODEL
  const functions = tools?.map((tool) => tool.name) ?? null
  const rows = said.map(({ text, ...beside }): OutputRow => ({ model, text, functions, reply: { ...beside, tools } }))
  const [row] = rows
  return rows.length === 1 && row !== undefined ? { kind: 'row', row } : { kind: 'rows', rows }
}

/** A request with `n` has as many choices. */
function chatAnswers(body: Json): readonly LoggedAnswer[] {
  return (listOf(body['choices']) ?? []).flatMap((entry) => {
    const choice = objectOf(entry)
    if (choice === null) return []
    const message = objectOf(choice['message']) ?? { ...choice, content: choice['text'] }
    return [{ ...loggedMessage(message), finishReason: stringOrNull(choice['finish_reason']) }]
  })
}

/** Whether a row is, or contains, an answer of a server. */
export function isAnswer(whole: Json): boolean {
  const { body } = answerIn(whole)
  return listOf(body['choices']) !== null || responsesAnswer(body) !== null
}

/** The answer within a logged record; an empty object if it is missing. */
function answerIn(whole: Json): { readonly response: Json; readonly body: Json } {
  const response = Object.hasOwn(whole, 'response') ? (bodyObject(whole['response']) ?? {}) : whole
  return { response, body: Object.hasOwn(response, 'body') ? (bodyObject(response['body']) ?? {}) : response }
}

/** An object, also as JSON text, as some logs contain bodies; not the text of a model. */
function bodyObject(value: unknown): Json | null {
  return objectOf(typeof value === 'string' && BODY.test(value) ? parsedJson(value) : value)
}

const BODY = /^\s{0,8}\{[^]*"(?:choices|object|error|messages|tools|body)"/

/** Why a request has no answer, in a few words; null if nothing shows that it failed. */
function failureOf(whole: Json, { response, body }: { readonly response: Json; readonly body: Json }): string | null {
  const status = response['status_code'] ?? response['status']
  const isBad = typeof status === 'number' && Number.isInteger(status) && status >= 400
  const given = [body['error'], response['error'], whole['error']].find((each) => each !== undefined && each !== null)
  const error = given ?? (body['object'] === 'error' ? body : null)
  if (!isBad && (error === null || error === false)) return null
  const said = objectOf(error)
  const code = stringOrNull(said?.['code']) ?? stringOrNull(said?.['type']) ?? stringOrNull(error)
  const words = [...(isBad ? [`status ${status}`] : []), ...(code === null ? [] : [excerpt(code.slice(0, 60))])]
  return words.length === 0 ? 'error' : words.join(' ')
}
