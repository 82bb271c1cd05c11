import { createReplyReader, DONE } from '@callspec/apis'
import type { Api, ApiBreach, SentEvent } from '@callspec/apis'
import { createBreaker } from '../client/breaker.ts'
import type { Client, CompletionRequest } from '../client/client.ts'
import { createClient } from '../client/client.ts'
import { firstRequest } from '../play/ask-model.ts'
import { loadBuiltInSuite } from '../suite/read-suite.ts'
import type { Completion, Failure } from '../trace/completion.ts'
import { finishOf } from '../trace/completion.ts'
import type { FormatName } from '../trace/format-names.ts'
import type { RequestSettings } from '../trace/run-manifest.ts'
import type { ToolSpec } from '../trace/task.ts'
import { offeredTools } from '../trace/task.ts'
import type { Check, Finding } from './finding.ts'
import { hangs, finding } from './finding.ts'
import type { ModelListOptions } from './list-models.ts'

/** The result of one request. `late`: no time was left for it, or it was not made. */
export type Probe =
  | { readonly kind: 'reply'; readonly reply: Completion }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'late' }

/** The same question, answered whole and as a stream: some servers read their own stream differently. */
export interface Modes {
  readonly whole: Probe
  readonly streamed: Probe
}

/** A result with what its stream showed; a whole reply is one event without a breach, as its judges know more than the laws. */
export interface SentProbe {
  readonly probe: Probe
  /** Without the mark of the end. */
  readonly events: number
  readonly breaches: readonly ApiBreach[]
}

/** How a request is sent. */
export interface SendOptions {
  readonly stream?: boolean
  /** Whether a failure of the server is repeated once, unless it hangs: the next answer would be as late. */
  readonly mayRetry?: boolean
}

/** Sends the probes to one endpoint. */
export interface Prober {
  readonly model: string
  /** Those of the built-in question. */
  readonly tools: readonly ToolSpec[]
  /** The built-in question in a format, as it is sent. */
  readonly requestOf: (how: ProbeOptions) => CompletionRequest
  readonly send: (request: CompletionRequest, how?: SendOptions) => Promise<SentProbe>
  /** Sends the built-in question, whole or streamed. */
  readonly ask: (how: ProbeOptions & { readonly stream?: boolean }) => Promise<Probe>
  /** Sends it whole, then streamed. */
  readonly askBoth: (how: ProbeOptions) => Promise<Modes>
}

/** The variable parts of the built-in question. */
export interface ProbeOptions {
  readonly format: FormatName
  readonly api?: RequestSettings['api']
  /** Default: 0, greedy. */
  readonly temperature?: number
  /** Default: `SEED`. */
  readonly seed?: number
  /** How long the reply may be, in tokens. Default: `PROBE_TOKENS`. */
  readonly tokens?: number
  /** Default: no system message. */
  readonly system?: string
  /** Further fields of the request. */
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** Enough for a call, and soon over on a slow server. */
export const PROBE_TOKENS = 200
/** The same in every request. */
export const SEED = 7

/** The requests end when the signal is aborted. */
export function createProber({ fetch, ...server }: ModelListOptions, model: string, signal: AbortSignal): Prober {
  const suite = loadBuiltInSuite()
  const [task] = suite.tasks
  if (task === undefined) throw new Error('callspec: the built-in suite is empty')
  const tools = offeredTools(suite, task)
  // Of the request in flight: they are sent one after the other.
  let watch = createStreamWatch('chat')
  const clientFor = (stream: boolean): Client =>
    createClient({
      ...{ ...server, ...(fetch === undefined ? {} : { fetch }), maxRetries: 0, stream },
      // The question is whether the server answers now.
      breaker: createBreaker({ patienceMs: 0 }),
      ...(stream ? { onEvent: (event) => watch.add(event) } : {}),
    })
  const clients = { whole: clientFor(false), streamed: clientFor(true) }
  const requestOf = (how: ProbeOptions): CompletionRequest => {
    const { format, api = 'chat', temperature = 0, seed = SEED, tokens = PROBE_TOKENS, system } = how
    const parameters = { temperature, max_tokens: tokens, ...how.parameters }
    const settings: RequestSettings = { name: model, api, stops: 'off', parameters }
    return firstRequest({ format, task, tools, sample: seed, settings, ...(system === undefined ? {} : { system }) })
  }
  const send: Prober['send'] = async (request, { stream = false, mayRetry = false } = {}) => {
    const own = createStreamWatch('messages' in request ? (request.api ?? 'chat') : 'chat')
    watch = own
    const probe = await probeOf(stream ? clients.streamed : clients.whole, request, signal)
    if (mayRetry && probe.kind === 'failure' && probe.failure.kind === 'infra' && !hangs(probe.failure))
      return send(request, { stream })
    return { probe, events: own.events(), breaches: stream && isStreamed(probe) ? own.breaches() : [] }
  }
  const ask: Prober['ask'] = async ({ stream = false, ...how }) =>
    (await send(requestOf(how), { stream, mayRetry: true })).probe
  return {
    ...{ model, tools, requestOf, send, ask },
    askBoth: async (how) => ({ whole: await ask(how), streamed: await ask({ ...how, stream: true }) }),
  }
}

function isStreamed(probe: Probe): boolean {
  return probe.kind === 'reply' && !probe.reply.warnings.includes('not-streamed')
}

/** What the events of one reply show, in addition to the reply. */
interface StreamWatch {
  add(event: SentEvent): void
  /** How many came, without the mark of the end. */
  events(): number
  breaches(): readonly ApiBreach[]
}

function createStreamWatch(api: Api): StreamWatch {
  // Whether a call is left in a text is judged by what the script asks for.
  const reader = createReplyReader(api, { holdsCall: () => false })
  let events = 0
  return {
    add: (event) => {
      if (event.data.trim() !== DONE) events += 1
      reader.add(event)
    },
    events: () => events,
    breaches: () => reader.end().breaches,
  }
}

async function probeOf(client: Client, request: CompletionRequest, signal: AbortSignal): Promise<Probe> {
  if (signal.aborted) return { kind: 'late' }
  try {
    const outcome = await client.complete(request, signal)
    return outcome.kind === 'done'
      ? { kind: 'reply', reply: outcome.value }
      : { kind: 'failure', failure: outcome.error.failure }
  } catch (error) {
    if (signal.aborted) return { kind: 'late' }
    throw error
  }
}

/** A reply with a prefix for messages: empty for a whole one. */
export interface ModeReply {
  readonly where: '' | 'in streams: '
  readonly reply: Completion
}

/** The replies among the two, the whole one first. */
export function repliesOf({ whole, streamed }: Modes): readonly ModeReply[] {
  const one: readonly ModeReply[] = whole.kind === 'reply' ? [{ where: '', reply: whole.reply }] : []
  return streamed.kind === 'reply' ? [...one, { where: 'in streams: ', reply: streamed.reply }] : one
}

/** The content of a reply as one text, for comparisons; without ids, which always differ. */
export function saidIn({ text, reasoning, toolCalls }: Completion): string {
  return JSON.stringify([reasoning, text, toolCalls.map(({ name, arguments: args }) => [name, args])])
}

/** Whether two replies have the same content; null if one is missing. */
export function saySame(first: Probe, second: Probe): boolean | null {
  if (first.kind !== 'reply' || second.kind !== 'reply') return null
  return saidIn(first.reply) === saidIn(second.reply)
}

/** Whether a reply was cut at the token limit: then a missing call proves nothing. */
export function isCut({ finishReason }: Completion): boolean {
  return finishOf(finishReason) === 'length'
}

/** The finding for a request without a reply. */
export function withoutReply(
  check: Check,
  probe: Exclude<Probe, { kind: 'reply' }>,
  { verdict = 'fail', whatToChange }: { readonly verdict?: Finding['verdict']; readonly whatToChange: string },
): Finding {
  return probe.kind === 'late' ? late(check) : finding(check, verdict, probe.failure.message, whatToChange)
}

/** The finding for a request that was not sent. */
export function late(check: Check): Finding {
  return finding(check, 'unknown', 'not examined: no time was left, or there was nothing to examine')
}
