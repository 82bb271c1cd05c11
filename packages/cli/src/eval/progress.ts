import type { EpisodeTrace, RunEvent, TurnLine } from '@callspec/eval'
import { createEndpointCounts } from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import type { Output } from '../output.ts'
import { clause, inert } from '../output.ts'
import { timeText } from '../work-progress.ts'
import type { PriceConfig } from './config/config.ts'

export interface ProgressOptions {
  readonly output: Output
  /** By the name in reports; null if unknown. */
  readonly prices: ReadonlyMap<string, PriceConfig | null>
  /** Milliseconds from any start. */
  readonly clock: () => number
  /** Whether a pipe gets a line every ten seconds. Default: it gets none. */
  readonly inPipes?: boolean
}

/** Shortest time between two updates of the terminal. */
const INTERVAL_MS = 100

/** Shows the progress: episodes, rate, cost so far, time left. */
export function createProgress({ output, prices, clock, inPipes = false }: ProgressOptions): (event: RunEvent) => void {
  const began = clock()
  let shown = -Infinity
  let [cost, isKnown, atStart] = [0, true, 0]
  const tellOutage = createOutageNotes({ output, clock, inPipes })
  const endpoints = createEndpointProgress()
  return (event) => {
    tellOutage(event)
    if (event.type === 'line' && event.line.kind === 'turn') endpoints.add(event.line)
    if (event.type === 'started') {
      atStart = event.recorded
      endpoints.know(event.servers ?? {})
    }
    if (event.type !== 'ended') return
    const spent = costOf(event.trace, prices.get(event.trace.key.model) ?? null)
    if (spent === null) isKnown = false
    else cost += spent
    const now = clock()
    if (now - shown < INTERVAL_MS && event.done < event.of) return
    shown = now
    const rate = (event.done - atStart) / Math.max(now - began, 1)
    const left = rate === 0 ? null : (event.of - event.done) / rate
    const money = isKnown ? [dollars(cost)] : hasPrices(prices) ? ['cost unknown'] : []
    const parts = [`${event.done} of ${plural(event.of, 'episode')}`, `${(rate * 1000).toFixed(1)}/s`, ...money]
    const rest = left === null ? [] : [`${timeText(left)} left`]
    output.progress([...parts, ...rest, ...endpoints.shown(now - began)].join(' · '), { inPipes })
  }
}

/** Percentiles are over the last replies. */
const LAST_REPLIES = 500

/** The line has room for one endpoint: how long each is shown. */
const SHOWN_MS = 2000

interface EndpointProgress {
  know(servers: EventOf<'started'>['servers'] & object): void
  add(line: TurnLine): void
  /** @param elapsed milliseconds since the start */
  shown(elapsed: number): readonly string[]
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

function createEndpointProgress(): EndpointProgress {
  const counts = createEndpointCounts(LAST_REPLIES)
  let known: EventOf<'started'>['servers'] & object = {}
  return {
    know: (servers) => {
      known = servers
    },
    add: (line) => counts.add(line, line.failure === null),
    shown: (elapsed) => {
      const rows = counts.rows()
      const row = rows[Math.floor(elapsed / SHOWN_MS) % Math.max(1, rows.length)]
      if (row === undefined) return []
      const { endpoint, requests, errors, tokens, p50, p95 } = row
      const rate = ((tokens * 1000) / Math.max(elapsed, 1)).toFixed(0)
      const times = `${p50?.toFixed(0) ?? '—'}/${p95?.toFixed(0) ?? '—'} ms`
      const build = known[endpoint]?.build ?? null
      const parts = [
        plural(requests, 'request'),
        plural(errors, 'error'),
        `${rate} tok/s`,
        times,
        ...(build === null ? [] : [build]),
      ]
      return [inert(`${hostOf(endpoint)}: ${parts.join(', ')}`)]
    },
  }
}

function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : endpoint
}

/** The cost of an episode's replies; null if the price or the tokens are unknown. */
function costOf({ turns }: EpisodeTrace, price: PriceConfig | null): number | null {
  if (price === null) return null
  let sum = 0
  for (const { usage, cached, failure } of turns) {
    if (cached || failure !== null) continue
    if (usage === null) return null
    sum += (usage.prompt * price.prompt + usage.completion * price.completion) / 1e6
  }
  return sum
}

/** `$1.23`; small sums have four decimals. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`
}

function hasPrices(prices: ProgressOptions['prices']): boolean {
  return [...prices.values()].some((price) => price !== null)
}

export interface OutageNotesOptions {
  readonly output: Output
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
  readonly inPipes?: boolean
}

function happened({ isFailing, failure }: EventOf<'outage'>['outage']): string {
  if (isFailing !== true) return 'went away'
  return failure.kind === 'configuration' ? 'refuses requests' : 'fails every request'
}

/** Shorter waits are not reported. */
const WORTH_TELLING_MS = 10_000

/** Reports outages of servers, and servers that ask for a long wait. */
export function createOutageNotes({ output, clock, inPipes = false }: OutageNotesOptions): (event: RunEvent) => void {
  const away = new Set<string>()
  const until = new Map<string, number>()
  const outage = ({ baseUrl, isShared, outage: now }: EventOf<'outage'>): void => {
    const { state, failure, waitedMs, patienceMs } = now
    const most = `at most ${timeText(patienceMs)}`
    if (state === 'waiting' && patienceMs > 0) {
      const how = isShared === true ? 'Its episodes go on elsewhere.' : `Waiting for it, ${most}.`
      if (!away.has(baseUrl)) output.note(`callspec: ${baseUrl} ${happened(now)} (${clause(failure.message)}). ${how}`)
      else if (isShared !== true)
        output.progress(inert(`waiting for ${baseUrl} for ${timeText(waitedMs)}, ${most}`), { inPipes })
      away.add(baseUrl)
    } else if (away.delete(baseUrl) && state === 'over') {
      output.note(`callspec: ${baseUrl} answers again, after ${timeText(waitedMs)}`)
    }
  }
  const told = ({ baseUrl, milliseconds, failure }: EventOf<'told-to-wait'>): void => {
    // All requests in flight are asked the same.
    if (milliseconds < WORTH_TELLING_MS || clock() < (until.get(baseUrl) ?? -Infinity)) return
    until.set(baseUrl, clock() + milliseconds)
    output.note(`callspec: ${baseUrl} asks to wait for ${timeText(milliseconds)} (${failure.message})`)
  }
  return (event) => {
    if (event.type === 'outage') outage(event)
    if (event.type === 'told-to-wait') told(event)
  }
}
