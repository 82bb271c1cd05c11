import type { EpisodeTrace, RunEvent } from '@callspec/eval'
import type { Output } from '../output.ts'
import type { PriceConfig } from './config/config.ts'
import { createOutageNotes } from './outage-notes.ts'
import { timeText } from './time-text.ts'

/** What a run has come to so far. */
export interface ProgressOptions {
  readonly output: Output
  /** By the name that reports use; null where the price is unknown. */
  readonly prices: ReadonlyMap<string, PriceConfig | null>
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
}

/** A terminal is written to so often at most. */
const INTERVAL_MS = 100

/** Shows how far a run is: episodes, how many a second, what they cost so far, how long the rest takes. */
export function createProgress({ output, prices, clock }: ProgressOptions): (event: RunEvent) => void {
  const began = clock()
  let shown = -Infinity
  let [cost, isKnown, atStart] = [0, true, 0]
  const tellOutage = createOutageNotes({ output, clock })
  return (event) => {
    tellOutage(event)
    if (event.type === 'started') atStart = event.recorded
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
    const parts = [`${event.done} of ${event.of} episodes`, `${(rate * 1000).toFixed(1)}/s`, ...money]
    output.progress([...parts, ...(left === null ? [] : [`${timeText(left)} left`])].join(' · '))
  }
}

/** What the replies of an episode cost; null where the price or the number of tokens is not known. */
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

/** `$1.23`; small sums with more digits. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`
}

function hasPrices(prices: ProgressOptions['prices']): boolean {
  return [...prices.values()].some((price) => price !== null)
}
