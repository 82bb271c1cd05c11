import { parsedJson } from '../text/json.ts'
import type { Json } from './logged-message.ts'
import { listOf, objectOf, objectsIn, stringOrNull } from './logged-message.ts'
import type { LoggedSpan } from './span-answer.ts'
import { answerOf } from './span-answer.ts'

/** What requests of a file of spans lack, counted while they are read. */
export interface SpanCounts {
  /** Requests to a model. */
  spans: number
  /** Those that name no tools, so that calls are not compared with any. */
  withoutTools: number
}

/** Whether a row is a batch of spans or log records of OpenTelemetry, as the file exporter of its collector writes them. */
export function isTelemetry(row: Json): boolean {
  return listOf(row['resourceSpans']) !== null || listOf(row['resourceLogs']) !== null
}

/**
 * The requests to models in batches of spans and log records, each as the answer of a chat API with its request, as JSON. A request whose reply
 * was not recorded becomes `{"not_recorded": reason}`. Log records (`gen_ai.choice`) are joined with their span if both are in the file.
 *
 * Follows the GenAI conventions of OpenTelemetry: `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.tool.definitions`, on the span or an
 * event of it; before them `gen_ai.choice` and the other events; OpenLLMetry's `gen_ai.prompt.0.content`, `gen_ai.completion.0.content`; and the
 * AI SDK's `ai.prompt.messages`, `ai.response.toolCalls`.
 */
export async function* genAiRecords(
  records: AsyncIterable<string>,
  counts: SpanCounts = { spans: 0, withoutTools: 0 },
): AsyncGenerator<string> {
  // Log records come before their span, which ends later.
  const waiting = new Map<string, LoggedSpan>()
  const made = (attributes: Json, logged: LoggedSpan | undefined, failed: string | null): string => {
    const answer = answerOf(attributes, logged)
    counts.spans += 1
    const isRecorded = !Object.hasOwn(answer, 'not_recorded')
    if (isRecorded && objectOf(answer['request'])?.['tools'] === undefined) counts.withoutTools += 1
    return JSON.stringify(!isRecorded && failed !== null ? { error: { type: failed } } : answer)
  }
  for await (const record of records) {
    const row = objectOf(parsedJson(record)) ?? {}
    for (const log of logsIn(row)) addLog(log, waiting)
    for (const span of spansIn(row)) {
      const attributes = { ...attributesOf(span), ...eventAttributes(span) }
      if (!asksModel(attributes)) continue
      const key = keyOf(span)
      yield made(attributes, waiting.get(key), failureOf(span, attributes))
      waiting.delete(key)
    }
    if (waiting.size > MOST_WAITING) yield* flushed(waiting, made)
  }
  yield* flushed(waiting, made)
}

/** Records without a span, as in a file of logs alone. */
function* flushed(
  waiting: Map<string, LoggedSpan>,
  made: (attributes: Json, logged: LoggedSpan, failed: null) => string,
): Generator<string> {
  for (const logged of waiting.values()) if (logged.choices.length > 0) yield made({}, logged, null)
  waiting.clear()
}

const MOST_WAITING = 10_000

function* spansIn(row: Json): Generator<Json> {
  for (const resource of objectsIn(row['resourceSpans']))
    for (const scope of objectsIn(resource['scopeSpans'])) yield* objectsIn(scope['spans'])
}

function* logsIn(row: Json): Generator<Json> {
  for (const resource of objectsIn(row['resourceLogs']))
    for (const scope of objectsIn(resource['scopeLogs'])) yield* objectsIn(scope['logRecords'])
}

function keyOf(span: Json): string {
  return `${stringOrNull(span['traceId']) ?? ''} ${stringOrNull(span['spanId']) ?? ''}`
}

function attributesOf(holder: Json): Json {
  return Object.fromEntries(
    objectsIn(holder['attributes']).flatMap((each) => {
      const key = stringOrNull(each['key'])
      return key === null ? [] : [[key, plainValue(each['value'])] as const]
    }),
  )
}

/** Content that is on events of the span, in its newer and its older form. */
function eventAttributes(span: Json): Json {
  const events = objectsIn(span['events']).map(
    (event) => [stringOrNull(event['name']) ?? '', attributesOf(event)] as const,
  )
  return Object.assign({}, ...events.flatMap(([name, found]) => (CONTENT_EVENTS.has(name) ? [found] : []))) as Json
}

const CONTENT_EVENTS: ReadonlySet<string> = new Set([
  'gen_ai.client.inference.operation.details',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
])

/** A value of OTLP as JSON; null for bytes and for what is nested too deeply. */
function plainValue(value: unknown, depth = 0): unknown {
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = objectOf(value) ?? {}
  if (depth > MAX_DEPTH) return null
  if (stringValue !== undefined) return stringValue
  if (boolValue !== undefined) return boolValue
  if (intValue !== undefined) return Number(intValue)
  if (doubleValue !== undefined) return doubleValue
  if (arrayValue !== undefined)
    return (listOf(objectOf(arrayValue)?.['values']) ?? []).map((each) => plainValue(each, depth + 1))
  if (kvlistValue === undefined) return null
  return Object.fromEntries(
    objectsIn(objectOf(kvlistValue)?.['values']).map((each) => [
      stringOrNull(each['key']) ?? '',
      plainValue(each['value'], depth + 1),
    ]),
  )
}

const MAX_DEPTH = 50

/** Spans of tools, agents and embeddings have other operations. */
const OPERATIONS: ReadonlySet<unknown> = new Set(['chat', 'text_completion', 'generate_content', undefined])

function asksModel(attributes: Json): boolean {
  const names = Object.keys(attributes)
  const isModel = names.some((name) => name === 'gen_ai.request.model' || name.startsWith('gen_ai.completion.'))
  return isModel && OPERATIONS.has(attributes['gen_ai.operation.name'])
}

function failureOf(span: Json, attributes: Json): string | null {
  const { code } = objectOf(span['status']) ?? {}
  const isError = code === 2 || code === 'STATUS_CODE_ERROR'
  const thrown = objectsIn(span['events']).find((event) => event['name'] === 'exception')
  const named = thrown === undefined ? null : stringOrNull(attributesOf(thrown)['exception.type'])
  return stringOrNull(attributes['error.type']) ?? (isError ? (named ?? 'error') : null)
}

function addLog(log: Json, waiting: Map<string, LoggedSpan>): void {
  const attributes = attributesOf(log)
  const name = stringOrNull(log['eventName']) ?? stringOrNull(attributes['event.name']) ?? ''
  const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name)?.[1]
  if (role === undefined && name !== 'gen_ai.choice') return
  const known = waiting.get(keyOf(log)) ?? { messages: [], choices: [] }
  waiting.set(keyOf(log), known)
  const body = objectOf(plainValue(log['body'])) ?? {}
  if (role === undefined) known.choices.push(body)
  else known.messages.push({ role, ...body, ...(role === 'tool' ? { tool_call_id: body['id'] } : {}) })
}
