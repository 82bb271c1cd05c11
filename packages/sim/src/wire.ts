import type { Completion, Limits } from './completion.ts'
import type { CallText } from './render.ts'
import type { TransportEffects } from './transport.ts'
import type { Hints } from './situation.ts'
import type { Prompt, WireMessage } from './speak/speaker.ts'

/** The OpenAI API of the request: chat or text completions. */
export type Api = 'chat' | 'completions'

/** A completion and the options of its wire form. */
export interface WireOptions {
  readonly api: Api
  readonly manners: TransportEffects['manners']
}

type Fields = Readonly<Record<string, unknown>>

/** The completion as one JSON object. */
export function wholeBody(completion: Completion, { api, manners }: WireOptions): Fields {
  const choices = choicesOf(manners, (index) => {
    const text = index === 0 ? completion.text : OTHER_CHOICE
    const said = api === 'chat' ? { message: messageFields(completion, text, manners) } : { text }
    return { index, ...said, logprobs: null, finish_reason: completion.finishReason }
  })
  const object = api === 'chat' ? 'chat.completion' : 'text_completion'
  return { ...head(object, completion), choices, ...usageFields(completion, manners) }
}

/** The completion as the objects of a stream, in order, each as JSON. */
export function streamBodies(completion: Completion, { api, manners }: WireOptions): readonly string[] {
  // The common part is made once: a stream has hundreds of events.
  const shared = JSON.stringify(head(api === 'chat' ? 'chat.completion.chunk' : 'text_completion', completion))
  const body = (fields: Fields): string => `${shared.slice(0, -1)},${JSON.stringify(fields).slice(1)}`
  const event = (index: number, said: Fields, finish: string | null): string => {
    const choice = api === 'chat' ? { index, delta: said } : { index, text: said['content'] ?? '' }
    return body({ choices: [{ ...choice, logprobs: null, finish_reason: finish }] })
  }
  const others = choicesOf(manners, (index) => index).filter((index) => index > 0)
  const usage = usageFields(completion, manners)
  return [
    event(0, { role: 'assistant', content: '' }, null),
    ...others.map((index) => event(index, { role: 'assistant', content: OTHER_CHOICE }, null)),
    ...deltas(completion, manners).map((delta) => event(0, delta, null)),
    ...others.map((index) => event(index, {}, 'stop')),
    event(0, {}, completion.finishReason),
    ...('usage' in usage ? [body({ choices: [], ...usage })] : []),
  ]
}

/** The stream as server-sent events, one text per event. */
export function framed(bodies: readonly string[], manners: TransportEffects['manners']): readonly string[] {
  const space = manners.has('no_space') ? '' : ' '
  const line = manners.has('crlf') ? '\r\n' : '\n'
  const comment = manners.has('comments') ? `: keep-alive${line}${line}` : ''
  const done = manners.has('no_done') ? [] : ['[DONE]']
  return [...bodies, ...done].map((data) => `${comment}data:${space}${data}${line}${line}`)
}

const OTHER_CHOICE = 'This is another choice.'

function head(object: string, { id, model }: Completion): Fields {
  // A fixed time: replies must be equal on every machine and every day.
  return { id, object, created: 0, model, system_fingerprint: 'sim-2' }
}

function usageFields({ usage: { prompt, completion } }: Completion, manners: TransportEffects['manners']): Fields {
  if (manners.has('no_usage')) return {}
  if (manners.has('usage_null')) return { usage: null }
  return { usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } }
}

/** With several choices the first one is last: not every server numbers them in order. */
function choicesOf<T>(manners: TransportEffects['manners'], choice: (index: number) => T): readonly T[] {
  const count = Math.min(100, Math.max(1, Number(manners.get('choices')?.[0] ?? 1)))
  return Array.from({ length: count }, (_, at) => choice(count - 1 - at))
}

function messageFields({ thought, calls, id }: Completion, text: string, manners: TransportEffects['manners']): Fields {
  const isSilent = manners.has('null_content') || (calls.length > 0 && text === '')
  return {
    role: 'assistant',
    content: isSilent ? null : text,
    ...(thought === null ? {} : { [thoughtField(manners)]: thought }),
    ...(calls.length === 0 && manners.get('finish')?.[0] !== 'tool_calls'
      ? {}
      : { tool_calls: calls.map((call, index) => toolCall(call, { index, id, manners })) }),
  }
}

function thoughtField(manners: TransportEffects['manners']): string {
  return manners.get('reasoning')?.[0] ?? 'reasoning_content'
}

interface CallPlace {
  readonly index: number
  /** Of the completion. */
  readonly id: string
  readonly manners: TransportEffects['manners']
}

function toolCall({ name, arguments: text }: CallText, { index, id, manners }: CallPlace): Fields {
  return {
    id: callId(id, index),
    type: 'function',
    function: { name, arguments: manners.has('arguments_object') ? asObject(text) : text },
  }
}

function callId(id: string, index: number): string {
  return `call_${id.slice(id.lastIndexOf('-') + 1)}_${index}`
}

/** As servers send it that parse calls. */
function asObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : text
  } catch {
    return text
  }
}

function deltas(completion: Completion, manners: TransportEffects['manners']): readonly Fields[] {
  const { text, thought, calls, id } = completion
  const cut = (whole: string): readonly string[] => piecesOf(whole, manners.get('delta')?.[0])
  return [
    ...cut(thought ?? '').map((piece) => ({ [thoughtField(manners)]: piece })),
    ...cut(text).map((piece) => ({ content: piece })),
    ...calls.flatMap((call, index) => {
      const first = toolCall(call, { index, id, manners })
      if (manners.has('arguments_object')) return [{ tool_calls: [{ index, ...first }] }]
      const named = { ...first, function: { name: call.name, arguments: '' } }
      return [
        { tool_calls: [{ index, ...named }] },
        ...cut(call.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]
    }),
  ]
}

/** Code points per piece: few enough that marks are cut in the middle. */
const PIECE = 13

/** A text in pieces: of whole code points, or of so many UTF-16 units, which may split a pair of surrogates. */
function piecesOf(text: string, size: string | undefined): readonly string[] {
  if (text === '') return []
  if (size === 'whole') return [text]
  if (size !== undefined && size !== 'point') return slices(text, Math.max(1, Number(size) || 1))
  const points = [...text]
  const length = size === 'point' ? 1 : PIECE
  return Array.from({ length: Math.ceil(points.length / length) }, (_, at) =>
    points.slice(at * length, (at + 1) * length).join(''),
  )
}

function slices(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}

export interface CompletionRequest {
  readonly api: Api
  readonly model: string
  readonly prompt: Prompt
  /** The tools that are offered next to the messages, as they arrived; may be empty. */
  readonly tools: string
  readonly hints: Hints
  readonly limits: Limits
  /** The k-th repeat of a run sends seed + k. */
  readonly seed: number
  readonly isStream: boolean
  /** Everything that distinguishes one request from another. Streaming does not. */
  readonly identity: readonly unknown[]
}

/** Returns the header of a request by its name in lower case. */
export type HeaderReader = (name: string) => string | null

/** Null for a body that requests no completion. */
export function readCompletionRequest(
  body: string,
  { api, header }: { readonly api: Api; readonly header: HeaderReader },
): CompletionRequest | null {
  const fields = bodyFields(body)
  if (fields === null || typeof fields['model'] !== 'string') return null
  const messages = api === 'chat' ? messagesOf(fields['messages']) : requestPrompt(fields['prompt'])
  if (messages === null) return null
  const tools = fields['tools']
  const hasTools = Array.isArray(tools) && tools.length > 0
  const seed = Number(asText(fields['seed'] ?? 0))
  const hints = hintsOf(fields, header)
  const limits = { stop: [fields['stop'] ?? []].flat().map(asText), maxTokens: limitOf(fields) }
  return {
    api,
    model: fields['model'],
    prompt: { messages, hasTools, ...(api === 'completions' ? { raw: asText(fields['prompt']) } : {}) },
    tools: hasTools ? JSON.stringify(tools) : '',
    hints,
    limits,
    seed: Number.isFinite(seed) ? seed : 0,
    isStream: fields['stream'] === true,
    identity: [fields['model'], seed, fields['messages'] ?? fields['prompt'], hasTools, limits, hints],
  }
}

function bodyFields(body: string): Fields | null {
  try {
    const value: unknown = JSON.parse(body)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

/** A value that is meant as a word; never an object, whose `toString` may return anything. */
function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? '' : String(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function messagesOf(value: unknown): readonly WireMessage[] | null {
  if (!Array.isArray(value)) return null
  return value.filter(isFields).map((message) => ({
    role: asText(message['role']),
    content: contentText(message['content']),
  }))
}

function requestPrompt(value: unknown): readonly WireMessage[] | null {
  return typeof value === 'string' ? readChatMl(value) : null
}

/** Content as one text: a text, or the texts of its parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isFields)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function hintsOf({ metadata }: Fields, header: HeaderReader): Hints {
  const said = isFields(metadata) ? metadata : {}
  const task = header('x-sim-task') ?? said['task'] ?? null
  const step = header('x-sim-step') ?? said['step'] ?? null
  const count = step === null || typeof step === 'object' ? Number.NaN : Number(step)
  return {
    task: task === null ? null : asText(task),
    // A header is hostile input, too: no conversation has more results than this.
    step: Number.isInteger(count) && count >= 0 && count <= 10_000 ? count : null,
  }
}

function limitOf(fields: Fields): number | null {
  const limit = fields['max_completion_tokens'] ?? fields['max_tokens']
  return typeof limit === 'number' && limit > 0 ? limit : null
}

/**
 * Where a message begins; a token may begin the prompt. Marks elsewhere are text: contents are not escaped, and models
 * leak marks into their history.
 */
const BEGIN = /(?:^(?:<\|\w+\|>|<\w+>)?|<\|im_end\|>\n)<\|im_start\|>(system|user|assistant|tool|function)\n/g
const END = '<|im_end|>'

/**
 * The messages of a raw prompt in ChatML. An open part at the end, which the model continues, is a message if it is not
 * empty. A text without any mark is one message of the user.
 */
export function readChatMl(prompt: string): readonly WireMessage[] {
  const begins = [...prompt.matchAll(BEGIN)]
  if (begins.length === 0) return [{ role: 'user', content: prompt }]
  return begins.flatMap((begin, at) => {
    const end = begins[at + 1]?.index
    const whole = prompt.slice(begin.index + begin[0].length, end)
    const isClosed = end === undefined && whole.endsWith(END)
    const content = isClosed ? whole.slice(0, -END.length) : whole
    const isOpen = end === undefined && !isClosed
    return isOpen && content === '' ? [] : [{ role: begin[1] ?? '', content }]
  })
}
