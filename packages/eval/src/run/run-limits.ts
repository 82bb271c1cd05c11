import type { Price } from '../metrics/figures.ts'
import type { TraceLine } from '../trace/trace.ts'

/** When no further episode is begun. Those under way come to their end. */
export interface RunLimits {
  /** US dollars. Needs the price of every model. */
  readonly cost?: number
  /** Tokens of prompts and replies. */
  readonly tokens?: number
  readonly timeMs?: number
}

/** What was spent since the run was begun, or went on. */
export interface Spending {
  add(line: TraceLine): void
  /** Why nothing more is to be begun, in one sentence; null while there is no reason. */
  reached(): string | null
}

/** What spending is counted with. */
export interface SpendingOptions {
  /** By model. */
  readonly prices: Readonly<Record<string, Price>>
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
}

/** Nothing yet. Replies from a cache cost nothing; of those before an interruption nobody counts again. */
export function createSpending(limits: RunLimits, { prices, clock }: SpendingOptions): Spending {
  const began = clock()
  let [cost, tokens, unknown] = [0, 0, '']
  return {
    add: (line) => {
      if (line.kind !== 'turn' || line.cached) return
      if (line.usage === null) {
        if (line.failure === null) unknown = line.model
        return
      }
      const { prompt, completion } = line.usage
      const price = prices[line.model]
      tokens += prompt + completion
      cost += ((price?.prompt ?? 0) * prompt + (price?.completion ?? 0) * completion) / 1e6
    },
    reached: () => {
      const { cost: mostCost, tokens: mostTokens, timeMs } = limits
      if (timeMs !== undefined && clock() - began >= timeMs) return 'the time is over'
      if (mostCost === undefined && mostTokens === undefined) return null
      if (unknown !== '') return `the server of ${unknown} counts no tokens, so that the budget cannot be kept`
      if (mostCost !== undefined && cost >= mostCost) return `the budget is used up: $${cost.toFixed(2)} were spent`
      if (mostTokens !== undefined && tokens >= mostTokens) return `the budget is used up: ${tokens} tokens were spent`
      return null
    },
  }
}
