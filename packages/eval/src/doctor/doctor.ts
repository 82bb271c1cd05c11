import type { Api } from '@callspec/apis'
import type { ClientOptions } from '../client/client.ts'
import { redactedUrl } from '../client/redact.ts'
import { checkEndpoint } from '../client/sender.ts'
import type { Finding, ScriptRow, Examined } from './finding.ts'
import { HANGS, hangs, REFUSES_ALL } from './finding.ts'
import type { ModelListOptions } from './list-models.ts'
import { listModels, withAnswering, createServerPrompt } from './list-models.ts'
import type { Modes, Probe, Prober } from './prober.ts'
import { createProber, PROBE_TOKENS, SEED, isCut, saySame } from './prober.ts'
import { probeScripts } from './probe-scripts.ts'
import { SERVED_FORMAT, WORDED_FORMAT } from '../trace/format-names.ts'
import { askCalls, SAY_FIRST } from './ask-calls.ts'
import { judgeArguments, judgeIds, isForceIgnored, judgeNative } from './judge-native.ts'
import { judgePredicted } from './judge-predicted.ts'
import type { PredictReply } from './judge-predicted.ts'
import { judgeProse, judgeStop, stopWordFor } from './judge-prose.ts'
import { judgeChat, judgeSeeds, judgeStream, judgeUsage, judgeMarkers, judgeRaw } from './judge-replies.ts'

/** The endpoint to examine, and the limits of the examination. */
export interface DoctorOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** Sent with every request. */
  readonly headers?: ClientOptions['headers']
  /** Default: the first model that the server lists. */
  readonly model?: string | null
  /** Sends the scripts instead of all other probes. Default: false. */
  readonly quick?: boolean
  /** Over which APIs the scripts are sent, with `quick`. Default: chat. */
  readonly apis?: readonly Api[]
  /** For everything, in milliseconds. Default: 120 000, or 60 000 per API with `quick`. */
  readonly budgetMs?: number
  /** For one request. Default 20 000. */
  readonly timeoutMs?: number
  readonly fetch?: ClientOptions['fetch']
  /** What a reader, such as the response template of the model, makes of its text: compared with the answers. Default: nothing is compared. */
  readonly predict?: PredictReply | undefined
  /** A question about a model that the server does not list, such as `Did you mean m?`, or an empty text. Default: no question. */
  readonly didYouMean?: (name: string, known: readonly string[]) => string
  /** Whether the name of the model is right even if the server does not list it. Default: false. */
  readonly isNameKnown?: boolean
  readonly signal?: AbortSignal
}

/** What was found: one finding per check, and one row per script with `quick`. */
export interface DoctorReport {
  /** Without name, password and query. */
  readonly baseUrl: string
  /** The examined model; null without a model. */
  readonly model: string | null
  readonly findings: readonly Finding[]
  /** Null without `quick`. */
  readonly scripts: readonly ScriptRow[] | null
  /** Whether the server answers, has a model, and accepts the key. */
  readonly isAsked: boolean
}

/**
 * Examines one endpoint: with some twenty short requests about all that an evaluation relies on, or with `quick` ten scripted requests with
 * tools, each whole and streamed. Simulated models answer both. Never throws for what a server does.
 *
 * @throws RunError for an address or a key that no request can be made with
 * @throws what the signal was aborted with
 */
export async function examine(options: DoctorOptions): Promise<DoctorReport> {
  const {
    baseUrl,
    apiKey,
    headers,
    quick = false,
    apis = ['chat'],
    timeoutMs = 20_000,
    fetch,
    didYouMean,
    isNameKnown,
    predict,
    signal,
  } = options
  checkEndpoint(baseUrl, apiKey, headers)
  const over = new AbortController()
  const end = (): void => over.abort()
  const timer = setTimeout(end, options.budgetMs ?? (quick ? 60_000 * apis.length : 120_000))
  signal?.addEventListener('abort', end, { once: true })
  try {
    const address = { baseUrl, apiKey, headers, timeoutMs, fetch, didYouMean, isNameKnown }
    const { model, findings } = await listModels(address, options.model ?? null, over.signal)
    signal?.throwIfAborted()
    const report = { baseUrl: redactedUrl(baseUrl), model }
    if (model === null) return { ...report, findings, scripts: quick ? [] : null, isAsked: false }
    const prober = createProber(address, model, over.signal)
    const { served, ...examined } = quick
      ? await probeOver(prober, apis)
      : await probeChecks(prober, { address, predict, signal: over.signal })
    signal?.throwIfAborted()
    return { ...report, ...examined, findings: [...withAnswering(findings, { model, served }), ...examined.findings] }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

/** The scripts over each API, one after the other. */
async function probeOver(prober: Prober, apis: readonly Api[]): Promise<Examined> {
  const all: Examined[] = []
  for (const api of apis) all.push(await probeScripts(prober, api))
  const served = all.map((each) => each.served).find((name) => name !== '') ?? ''
  const scripts = all.flatMap((each) => each.scripts ?? [])
  return { findings: [], scripts, isAsked: all.some(({ isAsked }) => isAsked), served }
}

/** Whether nothing fails; `warn` and `unknown` are not failures. */
export function isHealthy({ findings, scripts }: DoctorReport): boolean {
  const all = [...findings, ...(scripts ?? []).flatMap(({ whole, streamed }) => [whole, streamed])]
  return all.every(({ verdict }) => verdict !== 'fail')
}

/** Whether the server did not answer a request in time, so that no other was sent. */
export function doesHang({ findings }: DoctorReport): boolean {
  return findings.some(({ whatToChange }) => whatToChange === HANGS)
}

/** The version of what `callspec doctor --json` prints: `schemas/doctor.schema.json`. */
export const DOCTOR_SCHEMA = 1

/** A report as programs read it. */
export interface DoctorJson extends Omit<DoctorReport, 'scripts'> {
  readonly schema: typeof DOCTOR_SCHEMA
  /** `doctor-quick` with `scripts`. */
  readonly kind: 'doctor' | 'doctor-quick'
  readonly scripts?: readonly ScriptRow[]
  /** Whether nothing fails. With `isAsked` it decides the exit code. */
  readonly isHealthy: boolean
}

/** The report with its version, ready for `JSON.stringify`. */
export function doctorJson(report: DoctorReport): DoctorJson {
  const { baseUrl, model, findings, scripts, isAsked } = report
  return {
    schema: DOCTOR_SCHEMA,
    kind: scripts === null ? 'doctor' : 'doctor-quick',
    ...{ baseUrl, model, findings, ...(scripts === null ? {} : { scripts }), isAsked },
    isHealthy: isHealthy(report),
  }
}

/** What the checks need in addition to the prober. */
export interface ProbeContext {
  readonly address: ModelListOptions
  readonly predict?: PredictReply | undefined
  readonly signal: AbortSignal
}

/**
 * Asks what an evaluation relies on, one request after the other: many local servers answer one at a time, and times would be those of a
 * queue. Later requests depend on earlier replies: the stop word, the limit of tokens, and whether a call must be forced.
 */
export async function probeChecks(prober: Prober, { address, predict, signal }: ProbeContext): Promise<Examined> {
  const { ask, askBoth } = prober
  const plain = await ask({ format: WORDED_FORMAT })
  const chat = judgeChat(plain)
  if (plain.kind === 'failure' && hangs(plain.failure))
    return { findings: [chat], scripts: null, isAsked: false, served: '' }
  if (plain.kind === 'failure' && plain.failure.kind !== 'infra')
    return { findings: [chat], scripts: null, isAsked: !REFUSES_ALL.has(plain.failure.status ?? 0), served: '' }
  const stream = await prober.send(prober.requestOf({ format: WORDED_FORMAT }), { stream: true, mayRetry: true })
  const { probe: streamed, events } = stream
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
    ...(predict === undefined ? [] : [judgePredicted(calls, predict, { tools: prober.tools, isRepeatable })]),
  ]
  const served = plain.kind === 'reply' ? (plain.reply.servedModel ?? '') : ''
  return { findings, scripts: null, isAsked: plain.kind !== 'late', served }
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
