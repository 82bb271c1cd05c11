import { parsedJson } from '../text/json.ts'
import type { Json } from './logged-message.ts'
import { listOf, objectOf, objectsIn, stringOrNull } from './logged-message.ts'

/** What the log records of a span say. */
export interface LoggedSpan {
  readonly messages: Json[]
  readonly choices: Json[]
}

const REMEDY =
  'instrumentations leave content out by default. Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true (span_only with ' +
  'OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental), or TRACELOOP_TRACE_CONTENT=true for OpenLLMetry; let recordInputs and ' +
  'recordOutputs of the AI SDK be true; or export the logs to the same file'
const NOT_RECORDED = `the reply was not recorded: ${REMEDY}`
const NO_ARGUMENTS = `the arguments of calls were not recorded: ${REMEDY}`

/** The answer of the chat API with its request that the attributes of a span, and log records of it, describe. */
export function answerOf(attributes: Json, logged: LoggedSpan | undefined): Json {
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
  const written = objectsIn(jsonIn(attributes['gen_ai.output.messages']))
  const messages = written.length > 0 ? written : sdkReply(attributes)
  if (messages.length > 0)
    return messages.map((message, index) => ({
      index,
      message: chatMessages({ ...message, role: 'assistant' }).find(({ role }) => role === 'assistant') ?? EMPTY_REPLY,
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

const EMPTY_REPLY: Json = { role: 'assistant', content: '' }

/** The reply of a span of the AI SDK, which has an attribute for each kind of its parts, as a message of the conventions. */
function sdkReply(attributes: Json): readonly Json[] {
  const calls = objectsIn(jsonIn(attributes['ai.response.toolCalls']))
  const text = attributes['ai.response.text'] ?? attributes['ai.response.object']
  const reasoning = attributes['ai.response.reasoning']
  // An empty reply may have no text; that it was recorded shows in what the SDK records with it.
  const isRecorded = attributes['ai.response.providerMetadata'] !== undefined
  if (text === undefined && reasoning === undefined && calls.length === 0 && !isRecorded) return []
  const part = (type: string, content: unknown): readonly Json[] => (content === undefined ? [] : [{ type, content }])
  return [
    {
      role: 'assistant',
      parts: [
        ...part('reasoning', reasoning),
        ...part('text', text),
        ...calls.map((call) => ({ ...call, type: 'tool_call' })),
      ],
    },
  ]
}

/** What differs from the chat API in the conventions and in the AI SDK. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  tool_call: 'tool_calls',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
}

function finishReason(reason: unknown): string | null {
  const text = stringOrNull(reason)
  return text === null || !Object.hasOwn(FINISH_REASONS, text) ? text : (FINISH_REASONS[text] ?? null)
}

function systemOf(attributes: Json): readonly Json[] {
  const parts = objectsIn(jsonIn(attributes['gen_ai.system_instructions']))
  return parts.length === 0 ? [] : [{ role: 'system', content: partsText(parts) }]
}

function inputOf(attributes: Json, logged: LoggedSpan | undefined): readonly Json[] {
  const messages = objectsIn(jsonIn(firstOf(attributes, NAMES.input)))
  if (messages.length > 0) return messages.flatMap(chatMessages)
  const old = numbered(attributes, 'gen_ai.prompt')
  return old.length > 0 ? old.map(oldMessage) : (logged?.messages ?? [])
}

/**
 * Names of one thing: of the conventions first, then of the AI SDK (versions 5 and later, then 4). The first that has a value counts. A row
 * more, and spans of another instrumentation with names of its own are read.
 */
const NAMES = {
  input: ['gen_ai.input.messages', 'ai.prompt.messages'],
  tools: ['gen_ai.tool.definitions', 'ai.prompt.tools'],
  parts: ['parts', 'content'],
  text: ['content', 'text'],
  callId: ['id', 'toolCallId'],
  tool: ['name', 'toolName'],
  arguments: ['arguments', 'input', 'args'],
  result: ['response', 'result', 'output'],
  schema: ['parameters', 'inputSchema'],
} as const

/** Kinds of parts of the AI SDK by the name of the conventions. */
const PART_TYPES: Readonly<Record<string, string>> = { 'tool-call': 'tool_call', 'tool-result': 'tool_call_response' }

function firstOf(holder: Json, names: readonly string[]): unknown {
  const name = names.find((each) => holder[each] !== undefined && holder[each] !== null)
  return name === undefined ? undefined : holder[name]
}

/**
 * A message of the conventions, or of the AI SDK, as those of the chat API: results of tools are messages of their own, after a call of the
 * model that its server ran, and before a text of the user.
 */
function chatMessages(message: Json): readonly Json[] {
  const given = firstOf(message, NAMES.parts)
  const parts = typeof given === 'string' ? [{ type: 'text', content: given }] : objectsIn(given)
  const of = (type: string): readonly Json[] =>
    parts.filter((part) => {
      const own = String(part['type'])
      return (Object.hasOwn(PART_TYPES, own) ? PART_TYPES[own] : own) === type
    })
  const results = of('tool_call_response').map((part) => ({
    role: 'tool',
    tool_call_id: firstOf(part, NAMES.callId) ?? '',
    content: resultText(firstOf(part, NAMES.result) ?? ''),
  }))
  const reasoning = partsText(of('reasoning'))
  const calls = of('tool_call').map(callOf)
  const role = stringOrNull(message['role']) ?? 'user'
  const own = {
    role,
    content: partsText(of('text')),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  const isEmpty = own.content === '' && reasoning === '' && calls.length === 0
  if (isEmpty && results.length > 0) return results
  return role === 'assistant' ? [own, ...results] : [...results, own]
}

function callOf(part: Json): Json {
  const given = firstOf(part, NAMES.arguments)
  const name = stringOrNull(firstOf(part, NAMES.tool)) ?? ''
  const text = given === undefined ? {} : { arguments: asText(given) }
  return { id: stringOrNull(firstOf(part, NAMES.callId)) ?? '', type: 'function', function: { name, ...text } }
}

/** Types of results in the AI SDK: `{type: "json", value}`. */
const RESULT_TYPES: ReadonlySet<unknown> = new Set(['text', 'json', 'error-text', 'error-json', 'content'])

function resultText(result: unknown): string {
  const { type, value } = objectOf(result) ?? {}
  return asText(RESULT_TYPES.has(type) && value !== undefined ? value : result)
}

function partsText(parts: readonly Json[]): string {
  return parts.map((part) => asText(firstOf(part, NAMES.text) ?? '')).join('')
}

/** Instrumentations parse the arguments of calls: their spelling is lost. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function oldMessage(message: Json): Json {
  const { role, content, tool_call_id: id } = message
  const calls = objectsIn(message['tool_calls']).map(callOf)
  return {
    role: stringOrNull(role) ?? 'assistant',
    content: asText(content ?? ''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(typeof id === 'string' ? { tool_call_id: id } : {}),
  }
}

function toolsOf(attributes: Json): readonly Json[] | null {
  const written = jsonIn(firstOf(attributes, NAMES.tools))
  // The AI SDK writes a list of texts with JSON.
  const definitions = objectsIn(listOf(written)?.map(jsonIn))
  const old = numbered(attributes, 'llm.request.functions')
  const tools = definitions.length > 0 ? definitions : old
  if (tools.length === 0) return null
  return tools.map((tool) => {
    const definition = objectOf(tool['function']) ?? tool
    const { name, description } = definition
    const schema = jsonIn(firstOf(definition, NAMES.schema))
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
