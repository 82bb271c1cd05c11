import { parsedJson } from '../text/json.ts'
import type { Json } from './logged-message.ts'
import { listOf, objectOf, stringOrNull } from './logged-message.ts'

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
 * event of it; before them `gen_ai.choice` and the other events; and OpenLLMetry's `gen_ai.prompt.0.content`, `gen_ai.completion.0.content`.
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

/** What the log records of a span say. */
interface LoggedSpan {
  readonly messages: Json[]
  readonly choices: Json[]
}

function* spansIn(row: Json): Generator<Json> {
  for (const resource of objectsIn(row['resourceSpans']))
    for (const scope of objectsIn(resource['scopeSpans'])) yield* objectsIn(scope['spans'])
}

function* logsIn(row: Json): Generator<Json> {
  for (const resource of objectsIn(row['resourceLogs']))
    for (const scope of objectsIn(resource['scopeLogs'])) yield* objectsIn(scope['logRecords'])
}

function objectsIn(value: unknown): readonly Json[] {
  return (listOf(value) ?? []).flatMap((each): readonly Json[] => {
    const object = objectOf(each)
    return object === null ? [] : [object]
  })
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
  return stringOrNull(attributes['error.type']) ?? (isError ? 'error' : null)
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

const REMEDY =
  'instrumentations leave content out by default. Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true (span_only with ' +
  'OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental), or TRACELOOP_TRACE_CONTENT=true for OpenLLMetry; or export the logs to the same file'
const NOT_RECORDED = `the reply was not recorded: ${REMEDY}`
const NO_ARGUMENTS = `the arguments of calls were not recorded: ${REMEDY}`

/** An answer of the chat API with its request. */
function answerOf(attributes: Json, logged: LoggedSpan | undefined): Json {
  const choices = choicesOf(attributes, logged)
  const tools = toolsOf(attributes)
  const request = {
    ...(tools === null ? {} : { tools }),
    messages: [...systemOf(attributes), ...inputOf(attributes, logged)],
    model: attributes['gen_ai.request.model'],
  }
  if (choices.length === 0) return { not_recorded: NOT_RECORDED, request }
  const calls = choices.flatMap(({ message }) => objectsIn(objectOf(message)?.['tool_calls']))
  if (calls.some((call) => objectOf(call['function'])?.['arguments'] === undefined))
    return { not_recorded: NO_ARGUMENTS, request }
  const prompt = attributes['gen_ai.usage.input_tokens']
  const completion = attributes['gen_ai.usage.output_tokens']
  const isCounted = typeof prompt === 'number' && typeof completion === 'number'
  return {
    id: stringOrNull(attributes['gen_ai.response.id']) ?? 'span',
    object: 'chat.completion',
    created: 0,
    model: attributes['gen_ai.response.model'] ?? attributes['gen_ai.request.model'] ?? null,
    choices,
    ...(isCounted
      ? { usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } }
      : {}),
    request,
  }
}

function choicesOf(attributes: Json, logged: LoggedSpan | undefined): readonly Json[] {
  const reasons = listOf(attributes['gen_ai.response.finish_reasons']) ?? []
  const messages = objectsIn(jsonIn(attributes['gen_ai.output.messages']))
  if (messages.length > 0)
    return messages.map((message, index) => ({
      index,
      message: chatMessages(message)[0] ?? { role: 'assistant', content: '' },
      finish_reason: finishReason(message['finish_reason'] ?? reasons[index]),
    }))
  const old = numbered(attributes, 'gen_ai.completion')
  if (old.length > 0)
    return old.map((message, index) => ({
      index,
      message: oldMessage(message),
      finish_reason: finishReason(message['finish_reason'] ?? reasons[index]),
    }))
  return (logged?.choices ?? []).flatMap((choice, index) => {
    const message = objectOf(choice['message']) ?? {}
    const isEmpty = message['content'] === undefined && message['tool_calls'] === undefined
    const whole = { content: null, ...message, role: 'assistant' }
    return isEmpty
      ? []
      : [{ index, message: whole, finish_reason: finishReason(choice['finish_reason'] ?? reasons[index]) }]
  })
}

/** The conventions have `tool_call` where the chat API has `tool_calls`. */
function finishReason(reason: unknown): string | null {
  return reason === 'tool_call' ? 'tool_calls' : stringOrNull(reason)
}

function systemOf(attributes: Json): readonly Json[] {
  const parts = objectsIn(jsonIn(attributes['gen_ai.system_instructions']))
  return parts.length === 0 ? [] : [{ role: 'system', content: textOf(parts) }]
}

function inputOf(attributes: Json, logged: LoggedSpan | undefined): readonly Json[] {
  const messages = objectsIn(jsonIn(attributes['gen_ai.input.messages']))
  if (messages.length > 0) return messages.flatMap(chatMessages)
  const old = numbered(attributes, 'gen_ai.prompt')
  return old.length > 0 ? old.map(oldMessage) : (logged?.messages ?? [])
}

/** A message of the conventions as those of the chat API: results of tools are messages of their own. */
function chatMessages({ role, parts: given }: Json): readonly Json[] {
  const parts = objectsIn(given)
  const of = (type: string): readonly Json[] => parts.filter((part) => part['type'] === type)
  const results = of('tool_call_response').map((part) => ({
    role: 'tool',
    tool_call_id: part['id'] ?? '',
    content: asText(part['response'] ?? part['result'] ?? ''),
  }))
  if (results.length > 0) return results
  const reasoning = textOf(of('reasoning'))
  const calls = of('tool_call').map((part) => callOf(part['id'], part['name'], part['arguments']))
  return [
    {
      role: stringOrNull(role) ?? 'user',
      content: textOf(of('text')),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ]
}

function callOf(id: unknown, name: unknown, given: unknown): Json {
  const text = given === undefined || given === null ? {} : { arguments: asText(given) }
  return { id: stringOrNull(id) ?? '', type: 'function', function: { name: stringOrNull(name) ?? '', ...text } }
}

function textOf(parts: readonly Json[]): string {
  return parts.map((part) => asText(part['content'] ?? '')).join('')
}

/** Instrumentations parse the arguments of calls: their spelling is lost. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function oldMessage(message: Json): Json {
  const { role, content, tool_call_id: id } = message
  const calls = objectsIn(message['tool_calls']).map((call) => callOf(call['id'], call['name'], call['arguments']))
  return {
    role: stringOrNull(role) ?? 'assistant',
    content: asText(content ?? ''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(typeof id === 'string' ? { tool_call_id: id } : {}),
  }
}

function toolsOf(attributes: Json): readonly Json[] | null {
  const definitions = objectsIn(jsonIn(attributes['gen_ai.tool.definitions']))
  const old = numbered(attributes, 'llm.request.functions')
  const tools = definitions.length > 0 ? definitions : old
  if (tools.length === 0) return null
  return tools.map((tool) => {
    const { name, description, parameters } = objectOf(tool['function']) ?? tool
    const schema = jsonIn(parameters)
    return {
      type: 'function',
      function: { name, ...(description === undefined ? {} : { description }), parameters: schema },
    }
  })
}

/** `PREFIX.0.role`, `PREFIX.0.tool_calls.1.name` as a list of objects. */
function numbered(attributes: Json, prefix: string): readonly Json[] {
  const found: Record<string, unknown>[] = []
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${prefix}.`)) continue
    const [index, member, inner, last] = name.slice(prefix.length + 1).split('.')
    const at = indexIn(index)
    if (at === null || member === undefined || [member, last].includes('__proto__')) continue
    const row = (found[at] ??= {})
    const call = inner === undefined ? null : indexIn(inner)
    if (call === null || last === undefined) row[member] ??= value
    else {
      const calls = Array.isArray(row[member]) ? (row[member] as Record<string, unknown>[]) : []
      row[member] = calls
      const entry = (calls[call] ??= {})
      entry[last] = value
    }
  }
  return found.filter((row) => objectOf(row) !== null)
}

/** Larger numbers are not those of a message. */
const MOST_NUMBERED = 10_000

function indexIn(text: string | undefined): number | null {
  const number = text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  return number < MOST_NUMBERED ? number : null
}

/** A value, also as JSON text, as spans contain it. */
function jsonIn(value: unknown): unknown {
  return typeof value === 'string' ? parsedJson(value) : value
}
