import { SERVED_FORMAT, WORDED_FORMAT } from '../trace/format-names.ts'
import { createBreaker } from '../client/breaker.ts'
import { createClient } from '../client/client.ts'
import { checkEndpoint } from '../client/sender.ts'
import type { ClientOptions } from '../client/client.ts'
import { redactedUrl } from '../client/redact.ts'
import { askCalls, SAY_FIRST } from './ask-calls.ts'
import type { Finding } from './finding.ts'
import { judgeArguments, judgeIds } from './judge-call-parts.ts'
import { isForceIgnored, judgeNative } from './judge-native.ts'
import { judgeProse } from './judge-prose.ts'
import { judgeChat, judgeStream, judgeUsage } from './judge-replies.ts'
import { judgeSeeds } from './judge-seeds.ts'
import { judgeStop, stopWordFor } from './judge-stops.ts'
import { judgeMarkers, judgeRaw } from './judge-texts.ts'
import { listModels, withAnswering } from './list-models.ts'
import type { Modes, Probe } from './probe.ts'
import { createProber, PROBE_TOKENS, SEED } from './probes.ts'
import type { Prober } from './probes.ts'
import { isCut, saySame } from './said.ts'
import { HANGS, hangs, REFUSES_ALL } from './refuses-all.ts'
import { createServerPrompt } from './server-prompt.ts'

/** Which endpoint is examined, and for how long. */
export interface DoctorOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** Sent with every request. */
  readonly headers?: ClientOptions['headers']
  /** Default: the first model that the server lists. */
  readonly model?: string | null
  /** For everything, in milliseconds. Default 120 000. */
  readonly budgetMs?: number
  /** For one request. Default 20 000. */
  readonly timeoutMs?: number
  readonly fetch?: ClientOptions['fetch']
  /** A question about a model that the server does not list, `Did you mean m?`, or an empty text. Default: none is asked. */
  readonly didYouMean?: (name: string, known: readonly string[]) => string
  /** Whether the name of the model is right even if the server does not list it. Default: no, and it is a failure. */
  readonly isNameKnown?: boolean
  readonly signal?: AbortSignal
}

/** What was found, one finding per check. */
export interface DoctorReport {
  /** Without name, password and query. */
  readonly baseUrl: string
  /** The model that was asked; null when there was none to ask. */
  readonly model: string | null
  readonly findings: readonly Finding[]
  /** Whether anything could be asked: there is a server, it has a model, and it takes the key. */
  readonly isAsked: boolean
}

/**
 * Examines one endpoint with some twenty short requests: what an evaluation relies on, and what to change where it cannot.
 * The questions are those of a built-in task, so that simulated models answer them too. Never throws for what a server does.
 *
 * @throws RunError for an address or a key that no request can be made with
 * @throws what the signal was aborted with
 */
export async function examine(options: DoctorOptions): Promise<DoctorReport> {
  const {
    baseUrl,
    apiKey,
    headers,
    budgetMs = 120_000,
    timeoutMs = 20_000,
    fetch,
    didYouMean,
    isNameKnown,
    signal,
  } = options
  checkEndpoint(baseUrl, apiKey, headers)
  const over = new AbortController()
  const end = (): void => over.abort()
  const timer = setTimeout(end, budgetMs)
  signal?.addEventListener('abort', end, { once: true })
  try {
    const address = { baseUrl, apiKey, headers, timeoutMs, fetch }
    const listed = await listModels({ ...address, didYouMean, isNameKnown }, options.model ?? null, over.signal)
    const { model } = listed
    const { findings, isAsked, served } =
      model === null ? NOTHING_ASKED : await examineModel(address, model, over.signal)
    signal?.throwIfAborted()
    const ofModel = model === null ? listed.findings : withAnswering(listed.findings, { model, served })
    return { baseUrl: redactedUrl(baseUrl), model, findings: [...ofModel, ...findings], isAsked }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

interface Examined {
  readonly findings: readonly Finding[]
  readonly isAsked: boolean
  /** What the server calls the model that answered; empty where it does not say. */
  readonly served: string
}

const NOTHING_ASKED: Examined = { findings: [], isAsked: false, served: '' }

/** Whether nothing that was examined fails. What is not known, or odd but bearable, stands in nobody's way. */
export function isHealthy({ findings }: DoctorReport): boolean {
  return findings.every(({ verdict }) => verdict !== 'fail')
}

/** Whether the server took a request and did not answer it in time, so that nothing else was asked. */
export function doesHang({ findings }: DoctorReport): boolean {
  return findings.some(({ whatToChange }) => whatToChange === HANGS)
}

/** The version of what `callspec doctor --json` prints: `schemas/doctor.schema.json`. */
export const DOCTOR_SCHEMA = 1

/** A report as programs read it. */
export interface DoctorJson extends DoctorReport {
  readonly schema: typeof DOCTOR_SCHEMA
  readonly kind: 'doctor'
  /** Whether no check failed. With `isAsked` what the exit code says. */
  readonly isHealthy: boolean
}

/** The report with its version, ready for `JSON.stringify`. */
export function doctorJson(report: DoctorReport): DoctorJson {
  return { schema: DOCTOR_SCHEMA, kind: 'doctor', ...report, isHealthy: isHealthy(report) }
}

type Address = Parameters<typeof createServerPrompt>[0]

async function examineModel(address: Address, model: string, signal: AbortSignal): Promise<Examined> {
  const { fetch, ...server } = address
  // What is to be found out is whether it answers now.
  const breaker = createBreaker({ patienceMs: 0 })
  const own = fetch === undefined ? { breaker } : { breaker, fetch }
  let events = 0
  const onEvent = (): void => void (events += 1)
  const clients = {
    whole: createClient({ ...server, ...own, maxRetries: 0, stream: false }),
    streamed: createClient({ ...server, ...own, maxRetries: 0, stream: true, onEvent }),
  }
  const countEvents = (): number => events
  return probe(createProber(clients, model, signal), { address, signal, countEvents })
}

interface Surroundings {
  readonly address: Address
  readonly signal: AbortSignal
  /** Of all streams so far. */
  readonly countEvents: () => number
}

/** One after the other: many local servers answer one at a time, and times would be those of a queue. */
async function probe(prober: Prober, { address, signal, countEvents }: Surroundings): Promise<Examined> {
  const { ask, askBoth } = prober
  const plain = await ask({ format: WORDED_FORMAT })
  const chat = judgeChat(plain)
  if (plain.kind === 'failure' && hangs(plain.failure)) return { findings: [chat], isAsked: false, served: '' }
  if (plain.kind === 'failure' && plain.failure.kind !== 'infra')
    return { findings: [chat], isAsked: !REFUSES_ALL.has(plain.failure.status ?? 0), served: '' }
  const streamed = await ask({ format: WORDED_FORMAT, stream: true })
  const events = countEvents()
  const both = { whole: plain, streamed }
  const word = stopWordFor(plain)
  const stopped = word === null ? NOT_ASKED : await askBoth({ format: WORDED_FORMAT, parameters: { stop: word } })
  const isRepeatable = saySame(plain, await ask({ format: WORDED_FORMAT }))
  const seeds = await askSeeds(prober)
  const tokens = thinks(plain) ? PROBE_TOKENS * 8 : PROBE_TOKENS
  const raw = await ask({ format: WORDED_FORMAT, api: 'completions', tokens })
  const markers = await ask({ format: SERVED_FORMAT, system: SAY_FIRST, tokens })
  const hasRaw = raw.kind === 'reply'
  const serverPrompt = createServerPrompt(address)
  const calls = await askCalls(prober, { tokens, hasRaw, serverPrompt, chats: { plain: both, markers }, signal })
  const findings = [
    chat,
    judgeUsage(both),
    judgeStream(both, { events, isRepeatable }),
    judgeStop(plain, word, stopped),
    judgeSeeds(seeds),
    judgeNative(calls, isRepeatable),
    judgeArguments(calls, { tools: prober.tools, isRepeatable }),
    judgeIds(calls),
    judgeProse(calls, isRepeatable),
    judgeMarkers(markers, { isForceIgnored: isForceIgnored(calls.forced) }),
    judgeRaw(raw),
  ]
  const served = plain.kind === 'reply' ? (plain.reply.servedModel ?? '') : ''
  return { findings, isAsked: plain.kind !== 'late', served }
}

const NOT_ASKED: Modes = { whole: { kind: 'late' }, streamed: { kind: 'late' } }

async function askSeeds({ ask }: Prober): Promise<Parameters<typeof judgeSeeds>[0]> {
  const at = (seed: number): Promise<Probe> => ask({ format: WORDED_FORMAT, temperature: 1, seed })
  return { first: await at(SEED), again: await at(SEED), others: [await at(SEED + 1), await at(SEED + 2)] }
}

/** A model that thinks at length comes to its call much later. */
function thinks(plain: Probe): boolean {
  return plain.kind === 'reply' && isCut(plain.reply) && /^$|<think>/.test(plain.reply.text.trim())
}
