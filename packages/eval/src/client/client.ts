import OpenAI from 'openai'
import type { Usage } from './completion.ts'
import { CompletionError, excerpt } from './failure.ts'
import { withRetries } from './retry.ts'
import type { Attempted, RetryOptions } from './retry.ts'

/** A request as it goes over the wire; `parameters` holds everything but model, messages and streaming. */
export interface CompletionRequest {
  readonly model: string
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A whole reply. */
export interface Completion {
  readonly id: string
  readonly text: string
  readonly reasoning: string
  /** As the server gave it; null where it gave none. */
  readonly finishReason: string | null
  /** Null where the server reports none: unknown is not 0. */
  readonly usage: Usage | null
}

/** Where a client connects, and how patient it is. */
export interface ClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly stream: boolean
  readonly fetch?: typeof fetch
  readonly sleep?: RetryOptions['sleep']
}

/** A connection to one OpenAI-compatible server. */
export interface Client {
  complete(request: CompletionRequest, signal?: AbortSignal): Promise<Attempted<Completion>>
}

/** A client of any OpenAI-compatible server. Retrying is done here and nowhere else. */
export function createClient(options: ClientOptions): Client {
  const openai = new OpenAI({
    baseURL: options.baseUrl,
    apiKey: options.apiKey,
    maxRetries: 0,
    timeout: options.timeoutMs,
    // It would print what the server said, as it stands, on the terminal.
    logLevel: 'off',
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  })
  const ask = options.stream ? streamed : whole
  return {
    complete: (request, signal) =>
      withRetries(() => ask(openai, request, deadline(options.timeoutMs, signal)), {
        maxRetries: options.maxRetries,
        ...(signal === undefined ? {} : { signal }),
        ...(options.sleep === undefined ? {} : { sleep: options.sleep }),
      }),
  }
}

interface Limits {
  readonly signal: AbortSignal
  readonly caller: AbortSignal | undefined
}

/** The client's own timeout ends with the headers; a stream that stalls later needs one as well. */
function deadline(timeoutMs: number, caller: AbortSignal | undefined): Limits {
  const timeout = AbortSignal.timeout(timeoutMs)
  return { signal: caller === undefined ? timeout : AbortSignal.any([caller, timeout]), caller }
}

async function whole(openai: OpenAI, request: CompletionRequest, limits: Limits): Promise<Completion> {
  const body = { ...request.parameters, model: request.model, messages: request.messages, stream: false }
  const reply: unknown = await openai.chat.completions
    .create(body as unknown as NonStreaming, { signal: limits.signal })
    .catch((error: unknown) => {
      throw interrupted(error, limits)
    })
  const choice = isRecord(reply) && Array.isArray(reply['choices']) ? firstChoice(reply['choices']) : null
  if (!isRecord(reply) || choice === null) throw notACompletion(reply)
  const message = isRecord(choice['message']) ? choice['message'] : {}
  return {
    id: textOf(reply['id']),
    text: textOf(message['content']),
    reasoning: reasoningOf(message),
    finishReason: finishOf(choice),
    usage: usageOf(reply['usage']),
  }
}

async function streamed(openai: OpenAI, request: CompletionRequest, limits: Limits): Promise<Completion> {
  const body = {
    ...request.parameters,
    model: request.model,
    messages: request.messages,
    stream: true,
    stream_options: { include_usage: true },
  }
  const parts = {
    id: '',
    text: [] as string[],
    reasoning: [] as string[],
    finishReason: null as string | null,
    usage: null as Usage | null,
  }
  try {
    const chunks = await openai.chat.completions.create(body as unknown as Streaming, { signal: limits.signal })
    for await (const chunk of chunks as AsyncIterable<unknown>) {
      if (!isRecord(chunk)) continue
      if (parts.id === '') parts.id = textOf(chunk['id'])
      parts.usage = usageOf(chunk['usage']) ?? parts.usage
      const choice = Array.isArray(chunk['choices']) ? firstChoice(chunk['choices']) : null
      if (choice === null) continue
      const delta = isRecord(choice['delta']) ? choice['delta'] : {}
      parts.text.push(textOf(delta['content']))
      parts.reasoning.push(reasoningOf(delta))
      parts.finishReason = finishOf(choice) ?? parts.finishReason
    }
  } catch (error) {
    throw interrupted(error, limits)
  }
  // An aborted stream ends without a word; taken for complete it would be scored as a short answer.
  if (limits.signal.aborted) throw interrupted(timedOut(), limits)
  if (parts.finishReason === null && parts.usage === null) {
    throw new CompletionError(
      { kind: 'infra', status: null, message: 'the stream ended before the reply was complete' },
      { isRetryable: true },
    )
  }
  return { ...parts, text: parts.text.join(''), reasoning: parts.reasoning.join('') }
}

type NonStreaming = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming
type Streaming = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming

/** A timeout of ours looks like an abort to the client. */
function interrupted(error: unknown, { signal, caller }: Limits): unknown {
  if (caller?.aborted === true) return caller.reason
  return signal.aborted ? timedOut() : error
}

function timedOut(): CompletionError {
  return new CompletionError(
    { kind: 'infra', status: null, message: 'the server did not finish its answer in time' },
    { isRetryable: true },
  )
}

/** Choices may come in any order, and more than one; the one with index 0 counts. */
function firstChoice(choices: readonly unknown[]): Readonly<Record<string, unknown>> | null {
  const records = choices.filter(isRecord)
  return (
    records.find((choice) => choice['index'] === 0) ??
    (records.length === 1 && records[0]?.['index'] === undefined ? (records[0] ?? null) : null)
  )
}

function notACompletion(reply: unknown): CompletionError {
  const said = excerpt(typeof reply === 'string' ? reply : (JSON.stringify(reply) ?? 'nothing'))
  return new CompletionError(
    { kind: 'infra', status: 200, message: `the server answered something that is no completion: ${said}` },
    { isRetryable: false },
  )
}

function finishOf(choice: Readonly<Record<string, unknown>>): string | null {
  const reason = choice['finish_reason']
  return typeof reason === 'string' ? reason : null
}

function reasoningOf(message: Readonly<Record<string, unknown>>): string {
  return textOf(message['reasoning_content']) || textOf(message['reasoning'])
}

function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null
  const [prompt, completion] = [value['prompt_tokens'], value['completion_tokens']]
  return typeof prompt === 'number' && typeof completion === 'number' ? { prompt, completion } : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
