import type { SentEvent } from '@callspec/apis'
import type { Attempted, RetryOptions } from './retry.ts'
import { isAnswering, withRetries } from './retry.ts'
import type { Breaker, Waiter } from './breaker.ts'
import { createBreaker } from './breaker.ts'
import type { Completion } from '../trace/completion.ts'
import { isOfModel } from '../trace/completion.ts'
import type { Limiter } from './limiter.ts'
import { withDeadline, createLimiter } from './limiter.ts'
import { CompletionError, completionErrorOf, infraError } from './failure.ts'
import type { EndpointHeaders } from './redact.ts'
import { secretsOf, withoutCredentials } from './redact.ts'
import { apiRequest } from './api-request.ts'
import { readApiReply } from './read-api-reply.ts'
import { isStalled, readReply } from './read-reply.ts'
import type { CompletionBody, Sender, SenderOptions } from './sender.ts'
import { openSender } from './sender.ts'
import { maxTokensOf } from '../trace/run-manifest.ts'
import { canonicalJson, sha256 } from '../text/json.ts'

/** `parameters` holds all members of the body except model, prompt and streaming. */
export type CompletionRequest = ChatRequest | TextRequest

/** The server makes the prompt. */
export interface ChatRequest extends RequestBase {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  /** Where it goes, said in the form of that API. Absent: `/chat/completions`. */
  readonly api?: 'messages' | 'responses'
}

/** Goes to `/completions` with the complete prompt. */
export interface TextRequest extends RequestBase {
  readonly prompt: string
}

interface RequestBase {
  readonly model: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Number of the wanted reply among several to the same request. It is not sent; tapes keep the replies apart. Default: 0. */
  readonly sample?: number
}

/** The server of a client, and its limits. */
export interface ClientOptions extends Omit<SenderOptions, 'fetch'> {
  /** Sent with every request, over those of the client. With some, and without a key of its own, no `Authorization` is sent. */
  readonly headers?: EndpointHeaders | undefined
  /** From sending the request to the end of the reply, for each attempt. */
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly stream: boolean
  /** Shared by all clients of one base URL. Default: a separate one without a limit. */
  readonly limiter?: Limiter
  /** Shared like the limiter. Default: a separate one with the default patience. */
  readonly breaker?: Breaker
  /** The kinds of requests that its models have answered, shared by all clients of the same models. Default: a separate set. */
  readonly answeredKinds?: Set<string>
  /** Default: connections over undici, which are kept alive. */
  readonly fetch?: typeof fetch
  /** Once it is aborted, no request starts and every wait ends; requests in flight are finished. */
  readonly drain?: AbortSignal | undefined
  /** Called for every request. Once its signal is aborted, waiting requests fail, because another endpoint can take them. */
  readonly leave?: (() => AbortSignal) | undefined
  readonly sleep?: RetryOptions['sleep']
  /** In milliseconds; only differences count. Default: real time. */
  readonly clock?: () => number
  /** Called when the server asks to wait, with the time. */
  readonly onTold?: RetryOptions['onTold']
  /** Called with every event of a stream that has data, and once with a whole reply. */
  readonly onEvent?: (event: SentEvent) => void
}

/** A connection to one OpenAI-compatible server. */
export interface Client {
  /** @throws what the signal was aborted with */
  complete(request: CompletionRequest, signal?: AbortSignal): Promise<Attempted<Completion>>
}

/** A client that can also check, at no cost, whether the server answers. */
export interface ServerClient extends Client {
  readonly probe: Waiter['probe']
}

/**
 * A client of any OpenAI-compatible server. All retries happen here. Every answer of the server becomes a completion or a failure;
 * messages contain no keys.
 */
export function createClient(options: ClientOptions): ServerClient {
  const { timeoutMs, maxRetries, sleep, limiter = createLimiter(), breaker = createBreaker(), drain } = options
  const { answeredKinds: answered = new Set<string>() } = options
  const { open, exchange, probe } = createExchange(options)
  const waitsOf = eitherOf(drain)
  const secrets = secretsOf(options)
  const clean = (thrown: unknown): never => {
    const known = completionErrorOf(thrown)
    throw known === null ? thrown : withoutKeys(known, secrets)
  }
  return {
    probe,
    complete: async (request, signal) => {
      const attempt = async (): Promise<Completion> => {
        await open()
        return withDeadline({ timeoutMs, signal }, timedOut, (aborted) => exchange(request, aborted)).catch(clean)
      }
      return withRetries(attempt, {
        ...{ maxRetries, limiter, breaker, probe, signal, sleep, onTold: options.onTold },
        waits: waitsOf(signal),
        leave: options.leave?.(),
        known: { kind: requestKind(request), answered },
      })
    },
  }
}

/** The properties of a request that a server may not support: model, path, tools, and the roles of the messages. */
function requestKind(request: CompletionRequest): string {
  if ('prompt' in request) return JSON.stringify([request.model])
  const roles = new Set(request.messages.map(({ role }) => role))
  return JSON.stringify([request.model, 'tools' in request.parameters, ...roles])
}

/** Joins both signals, once for each: `AbortSignal.any` for every request would leave one listener per request. */
function eitherOf(drain: AbortSignal | undefined): (signal: AbortSignal | undefined) => AbortSignal | undefined {
  const joined = new WeakMap<AbortSignal, AbortSignal>()
  return (signal) => {
    if (drain === undefined || signal === undefined) return signal ?? drain
    const known = joined.get(signal) ?? AbortSignal.any([signal, drain])
    joined.set(signal, known)
    return known
  }
}

type Exchange = (request: CompletionRequest, signal: AbortSignal) => Promise<Completion>

interface Exchanges {
  /** Loads the packages before a deadline starts. */
  readonly open: () => Promise<Sender>
  /** One request and its reply. */
  readonly exchange: Exchange
  readonly probe: Waiter['probe']
}

function createExchange(options: ClientOptions): Exchanges {
  const { stream, timeoutMs, clock, onEvent } = options
  const now = clock ?? ((): number => performance.now())
  let opened: Promise<Sender> | null = null
  const open = async (): Promise<Sender> => (opened ??= openSender(options))
  const exchange: Exchange = async (request, signal) => {
    const server = await open()
    const began = now()
    const how = { stream, elapsed: () => now() - began, signal, timeoutMs, onEvent }
    if ('messages' in request && request.api !== undefined) {
      const { path, body } = apiRequest(request, request.api, stream)
      const limit = maxTokensOf(request.parameters)
      return readApiReply(await server.post(path, body, signal), request.api, { ...how, limit })
    }
    const response = await server.complete(completionBody(request, stream), signal)
    return readReply(response, how)
  }
  return { open, exchange, probe: async (signal) => isAnswering(await open(), signal) }
}

function completionBody(request: CompletionRequest, stream: boolean): CompletionBody {
  const { model } = request
  // As in the client of the reference: both are options of the client, and `extra_body` is merged into the body.
  const { extra_body: extra = {}, timeout: _timeout, ...parameters } = request.parameters
  const prompt = 'prompt' in request ? { prompt: request.prompt } : { messages: request.messages }
  const streaming = stream ? { stream, stream_options: { include_usage: true } } : { stream }
  // The type says what OpenAI accepts; parameters of a run may be those of any server.
  return { ...parameters, ...(extra as object), model, ...prompt, ...streaming } as unknown as CompletionBody
}

/** A failure that holds the beginning of a reply is kept. */
function timedOut(error: unknown): unknown {
  if (error instanceof CompletionError && (isOfModel(error.failure) || isStalled(error.failure))) return error
  return infraError('the server did not finish its answer in time', true)
}

/** Some servers quote the key that they refuse. */
function withoutKeys(error: CompletionError, secrets: readonly string[]): CompletionError {
  const { failure } = error
  const message = withoutCredentials(failure.message, secrets)
  return message === failure.message ? error : new CompletionError({ ...failure, message }, error)
}

/**
 * SHA-256 in hex of everything that decides the reply: model, prompt and parameters, with sorted keys. Whether the reply is streamed is not
 * part of it.
 */
export function requestHash({ sample: _sample, ...sent }: CompletionRequest): string {
  return sha256(canonicalJson(sent))
}
