import { checkEndpoint, createClient } from '../client/client.ts'
import type { ClientOptions } from '../client/client.ts'
import { redactedUrl } from '../client/redact.ts'
import type { Finding } from './finding.ts'
import {
  judgeChat,
  judgeMarkers,
  judgeNative,
  judgeRaw,
  judgeSeed,
  judgeStop,
  judgeStream,
  judgeUsage,
  saySame,
  stopWordFor,
} from './judge.ts'
import { listModels } from './list-models.ts'
import { createProber } from './probes.ts'
import type { Prober } from './probes.ts'

/** Which endpoint is examined, and for how long. */
export interface DoctorOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** Default: the first model that the server lists. */
  readonly model?: string | null
  /** For everything, in milliseconds. Default 55 000. */
  readonly budgetMs?: number
  /** For one request. Default 20 000. */
  readonly timeoutMs?: number
  readonly fetch?: ClientOptions['fetch']
  readonly signal?: AbortSignal
}

/** What was found, one finding per check. */
export interface DoctorReport {
  /** Without name, password and query. */
  readonly baseUrl: string
  /** The model that was asked; null when there was none to ask. */
  readonly model: string | null
  readonly findings: readonly Finding[]
}

/**
 * Examines one endpoint with ten short requests: what an evaluation relies on, and what to change where it cannot. The
 * questions are those of a built-in task, so that simulated models answer them too. Never throws for what a server does.
 *
 * @throws RunError for an address or a key that no request can be made with
 * @throws what the signal was aborted with
 */
export async function examine(options: DoctorOptions): Promise<DoctorReport> {
  const { baseUrl, apiKey, budgetMs = 55_000, timeoutMs = 20_000, fetch, signal } = options
  checkEndpoint(baseUrl, apiKey)
  const over = new AbortController()
  const end = (): void => over.abort()
  const timer = setTimeout(end, budgetMs)
  signal?.addEventListener('abort', end, { once: true })
  try {
    const listed = await listModels({ baseUrl, apiKey, timeoutMs, fetch }, options.model ?? null, over.signal)
    const findings = [...listed.findings]
    if (listed.model !== null) {
      const own = fetch === undefined ? {} : { fetch }
      const make = (stream: boolean): ReturnType<typeof createClient> =>
        createClient({ baseUrl, apiKey, timeoutMs, maxRetries: 1, stream, ...own })
      const clients = { whole: make(false), streamed: make(true) }
      findings.push(...(await probe(createProber(clients, listed.model, over.signal))))
    }
    signal?.throwIfAborted()
    return { baseUrl: redactedUrl(baseUrl), model: listed.model, findings }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

/** One after the other: many local servers answer one at a time, and times would be those of a queue. */
async function probe({ ask }: Prober): Promise<readonly Finding[]> {
  const plain = await ask({ protocol: 'react' })
  const chat = judgeChat(plain)
  if (plain.kind === 'failure' && plain.failure.kind !== 'infra') return [chat]
  const streamed = await ask({ protocol: 'react', stream: true })
  const word = stopWordFor(plain)
  const stopped = word === null ? ({ kind: 'late' } as const) : await ask({ protocol: 'react', stop: word })
  const again = await ask({ protocol: 'react' })
  const first = await ask({ protocol: 'react', temperature: 1 })
  const second = await ask({ protocol: 'react', temperature: 1 })
  return [
    chat,
    judgeUsage(plain, streamed),
    judgeStream(plain, streamed, saySame(plain, again)),
    judgeStop(plain, word, stopped),
    judgeSeed(first, second),
    judgeNative(await ask({ protocol: 'native' })),
    judgeMarkers(await ask({ protocol: 'fncall-nous' })),
    judgeRaw(await ask({ protocol: 'react', api: 'completions' })),
  ]
}

/** Whether nothing stands in the way of an evaluation. */
export function isHealthy({ findings }: DoctorReport): boolean {
  return !findings.some(({ check, verdict }) => verdict === 'fail' && NEEDED.has(check))
}

/** Without these there is nothing to evaluate; the others say how. */
const NEEDED: ReadonlySet<Finding['check']> = new Set<Finding['check']>(['reachable', 'model', 'chat'])
