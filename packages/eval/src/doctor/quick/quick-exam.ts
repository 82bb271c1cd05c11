import { checkEndpoint } from '../../client/sender.ts'
import { redactedUrl } from '../../client/redact.ts'
import type { DoctorOptions } from '../doctor.ts'
import type { Finding } from '../finding.ts'
import { listModels, withAnswering } from '../list-models.ts'
import { askScripts } from './ask-scripts.ts'
import type { AskedScripts, ScriptRow } from './ask-scripts.ts'

/** What was found, one row per script. */
export interface QuickReport {
  /** Without name, password and query. */
  readonly baseUrl: string
  /** The model that was asked; null when there was none to ask. */
  readonly model: string | null
  /** Whether the server is there and has the model. */
  readonly findings: readonly Finding[]
  readonly scripts: readonly ScriptRow[]
  /** Whether anything could be asked: there is a server, it has a model, and it takes the key. */
  readonly isAsked: boolean
}

/**
 * Examines how an endpoint handles tool calls, with ten scripted requests, each whole and streamed; a whole one is asked for
 * again only where the stream says something else. Never throws for what a server does.
 *
 * @throws RunError for an address or a key that no request can be made with
 * @throws what the signal was aborted with
 */
export async function examineQuickly(options: DoctorOptions): Promise<QuickReport> {
  const {
    baseUrl,
    apiKey,
    headers,
    budgetMs = 60_000,
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
    const { model, findings } = await listModels(
      { ...address, didYouMean, isNameKnown },
      options.model ?? null,
      over.signal,
    )
    const {
      rows: scripts,
      isAsked,
      served,
    } = model === null ? NOTHING_ASKED : await askScripts(address, { model, signal: over.signal })
    signal?.throwIfAborted()
    const ofModel = model === null ? findings : withAnswering(findings, { model, served })
    return { baseUrl: redactedUrl(baseUrl), model, findings: ofModel, scripts, isAsked }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

const NOTHING_ASKED: AskedScripts = { rows: [], isAsked: false, served: '' }

/** Whether nothing fails. What is odd, or not known, stands in nobody's way. */
export function isQuicklyHealthy({ findings, scripts }: QuickReport): boolean {
  const all = [...findings, ...scripts.flatMap(({ whole, streamed }) => [whole, streamed])]
  return all.every(({ verdict }) => verdict !== 'fail')
}

/** The version of what `callspec doctor --quick --json` prints: `schemas/doctor-quick.schema.json`. */
export const QUICK_SCHEMA = 1

/** A report as programs read it. */
export interface QuickJson extends QuickReport {
  readonly schema: typeof QUICK_SCHEMA
  readonly kind: 'doctor-quick'
  /** Whether nothing fails. With `isAsked` what the exit code says. */
  readonly isHealthy: boolean
}

/** The report with its version, ready for `JSON.stringify`. */
export function quickJson(report: QuickReport): QuickJson {
  return { schema: QUICK_SCHEMA, kind: 'doctor-quick', ...report, isHealthy: isQuicklyHealthy(report) }
}
