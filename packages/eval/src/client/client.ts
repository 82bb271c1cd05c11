import { isAnswering } from './availability.ts'
import { createBreaker } from './breaker.ts'
import type { Breaker, Waiter } from './breaker.ts'
import type { Completion } from '../trace/completion.ts'
import { isOfModel } from '../trace/failure.ts'
import { withDeadline } from './deadline.ts'
import { CompletionError, completionErrorOf, infraError } from './failure.ts'
import type { EndpointHeaders } from './headers.ts'
import { createLimiter } from './limiter.ts'
import type { Limiter } from './limiter.ts'
import { isStalled, readReply } from './read-reply.ts'
import { secretsOf, withoutCredentials } from './redact.ts'
import { openSender } from './sender.ts'
import type { CompletionBody, Sender, SenderOptions } from './sender.ts'
import { withRetries } from './retry.ts'
import type { Attempted, RetryOptions } from './retry.ts'

/** A request as it goes over the wire; `parameters` holds everything but model, prompt and streaming. */
export type CompletionRequest = ChatRequest | TextRequest

/** Goes to `/chat/completions`: the server makes the prompt. */
export interface ChatRequest extends RequestBase {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
}

/** Goes to `/completions`: the prompt is the text as it stands. */
export interface TextRequest extends RequestBase {
  readonly prompt: string
}

interface RequestBase {
  readonly model: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Which of several answers to the same request is wanted. It is not sent; caches and tapes keep them apart. Default 0. */
  readonly sample?: number
}

/** Where a client connects, and how patient it is. */
export interface ClientOptions extends Omit<SenderOptions, 'fetch'> {
  /** Sent with every request, over those of the client. With some, and without a key of its own, no `Authorization` is sent. */
  readonly headers?: EndpointHeaders | undefined
  /** For one attempt, from sending the request to the end of the reply. */
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly stream: boolean
  /** Shared by all clients of one base URL. Default: one of its own, as wide as there are requests. */
  readonly limiter?: Limiter
  /** Shared like the limiter. Default: one of its own, with the default patience. */
  readonly breaker?: Breaker
  /** What kinds of requests its models have answered, shared by all clients that ask for the same models. Default: its own. */
  readonly answeredKinds?: Set<string>
  /** Default: connections of its own, which are kept. */
  readonly fetch?: typeof fetch
  /** When it is aborted, nothing more is asked and no wait goes on; replies that are under way come to their end. */
  readonly drain?: AbortSignal | undefined
  /** Asked for every request: when it is aborted, those that wait fail, because they can be asked elsewhere. */
  readonly leave?: (() => AbortSignal) | undefined
  readonly sleep?: RetryOptions['sleep']
  /** Milliseconds, only ever subtracted. Default: real time. */
  readonly clock?: () => number
  /** Is told when the server asks to wait, and for how long. */
  readonly onTold?: RetryOptions['onTold']
  /** Is told of every event of a stream but the end mark, as it is read; of a whole reply once. */
  readonly onEvent?: (event: unknown) => void
}

/** A connection to one OpenAI-compatible server. */
export interface Client {
  /** @throws what the signal was aborted with */
  complete(request: CompletionRequest, signal?: AbortSignal): Promise<Attempted<Completion>>
}

/** A client that can also find out, at no cost, whether anybody answers. */
export interface ServerClient extends Client {
  readonly probe: Waiter['probe']
}

/**
 * A client of any OpenAI-compatible server. Retrying is done here and nowhere else. Whatever the server answers becomes a
 * completion or a failure; what it says comes back without keys.
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
        known: { kind: kindOf(request), answered },
      })
    },
  }
}

/** All by which a server may be unable to answer: the model, the path, tools, and which roles the messages have. */
function kindOf(request: CompletionRequest): string {
  if ('prompt' in request) return JSON.stringify([request.model])
  const roles = new Set(request.messages.map(({ role }) => role))
  return JSON.stringify([request.model, 'tools' in request.parameters, ...roles])
}

/** Both signals in one, once for each: `AbortSignal.any` for every request would leave a listener each. */
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
  /** Loads what requests need, which no deadline counts. */
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
    const response = await server.complete(bodyOf(request, stream), signal)
    return readReply(response, { stream, elapsed: () => now() - began, signal, timeoutMs, onEvent })
  }
  return { open, exchange, probe: async (signal) => isAnswering(await open(), signal) }
}

function bodyOf(request: CompletionRequest, stream: boolean): CompletionBody {
  const { model } = request
  // As the reference's client does it: these two are for the client, the first to be unpacked.
  const { extra_body: extra = {}, timeout: _timeout, ...parameters } = request.parameters
  const prompt = 'prompt' in request ? { prompt: request.prompt } : { messages: request.messages }
  const streaming = stream ? { stream, stream_options: { include_usage: true } } : { stream }
  // The type says what OpenAI accepts; parameters of a run may be those of any server.
  return { ...parameters, ...(extra as object), model, ...prompt, ...streaming } as unknown as CompletionBody
}

/** What had come of a reply is not lost with the rest of it. */
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
