import type { ClientOptions } from '../client/client.ts'
import { redactedUrl } from '../client/redact.ts'
import { checkEndpoint } from '../client/sender.ts'
import { HANGS } from './advice.ts'
import type { Finding, ScriptRow } from './finding.ts'
import { listModels, withAnswering } from './list-models.ts'
import { probeChecks } from './probe-checks.ts'
import { createProber } from './prober.ts'
import { probeScripts } from './probe-scripts.ts'

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
  /** For everything, in milliseconds. Default: 120 000, or 60 000 with `quick`. */
  readonly budgetMs?: number
  /** For one request. Default 20 000. */
  readonly timeoutMs?: number
  readonly fetch?: ClientOptions['fetch']
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
  /** The examined model; null if there was none. */
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
    timeoutMs = 20_000,
    fetch,
    didYouMean,
    isNameKnown,
    signal,
  } = options
  checkEndpoint(baseUrl, apiKey, headers)
  const over = new AbortController()
  const end = (): void => over.abort()
  const timer = setTimeout(end, options.budgetMs ?? (quick ? 60_000 : 120_000))
  signal?.addEventListener('abort', end, { once: true })
  try {
    const address = { baseUrl, apiKey, headers, timeoutMs, fetch, didYouMean, isNameKnown }
    const { model, findings } = await listModels(address, options.model ?? null, over.signal)
    signal?.throwIfAborted()
    const report = { baseUrl: redactedUrl(baseUrl), model }
    if (model === null) return { ...report, findings, scripts: quick ? [] : null, isAsked: false }
    const prober = createProber(address, model, over.signal)
    const { served, ...examined } = quick
      ? await probeScripts(prober)
      : await probeChecks(prober, { address, signal: over.signal })
    signal?.throwIfAborted()
    return { ...report, ...examined, findings: [...withAnswering(findings, { model, served }), ...examined.findings] }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
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
