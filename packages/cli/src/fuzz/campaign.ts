import { addDistributions, EMPTY_DISTRIBUTION } from '@callspec/fuzz'
import type { Distribution, Finding, KnownCause, LawId, SearchResult } from '@callspec/fuzz'

/** Violations of one law with the same shrunk cause. */
export interface FoundCause {
  /** The smallest. */
  readonly finding: Finding
  readonly times: number
}

export interface CampaignState {
  readonly texts: number
  readonly distribution: Distribution
  readonly causes: readonly FoundCause[]
  readonly seconds: number
  /** How much of the budget is used, from 0 to 1. */
  readonly share: number
}

/** The length of a campaign: texts per group of laws, or time. */
export type Budget = { readonly kind: 'runs'; readonly runs: number } | { readonly kind: 'time'; readonly ms: number }

export interface CampaignOptions {
  readonly budget: Budget
  readonly seed: number
  /** Searches this number of texts per group of laws, from a seed on. Ends early when the campaign is over. */
  readonly search: (options: BatchSearch) => SearchResult | Promise<SearchResult>
  /** Searches in flight at a time. */
  readonly width: number
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
  /** Ends the campaign and its searches. */
  readonly signal: AbortSignal
  readonly onBatch: (state: CampaignState) => void
}

export interface BatchSearch {
  readonly seed: number
  readonly runs: number
  /** Laws with enough findings. */
  readonly without: ReadonlySet<LawId>
  /** The reported causes of these laws. */
  readonly known: readonly KnownCause[]
  readonly isOver: () => boolean
}

/** Texts per group of laws under one seed. */
const BATCH_TEXTS = 500

/** After so many different violations a law is skipped: its cause is known, and shrinking is slow. */
const ENOUGH = 5

/**
 * Searches batch after batch until the budget is used or it is interrupted. The first batch has the given seed, each further one the next
 * number, so equal seeds and runs find the same.
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignState> {
  const { budget, clock, signal, onBatch } = options
  const start = clock()
  const causes = new Map<string, FoundCause>()
  let [texts, batch, searched] = [0, 0, 0]
  let distribution: Distribution = EMPTY_DISTRIBUTION
  const state = (): CampaignState => ({
    texts,
    distribution,
    causes: [...causes.values()],
    seconds: (clock() - start) / 1000,
    share: Math.min(1, budget.kind === 'time' ? (clock() - start) / budget.ms : searched / budget.runs),
  })
  const isOver = (): boolean => signal.aborted || (budget.kind === 'time' && clock() - start >= budget.ms)
  const next = (): { readonly seed: number; readonly runs: number } | null => {
    if (isOver()) return null
    const done = batch * BATCH_TEXTS
    if (budget.kind === 'runs' && done >= budget.runs) return null
    const runs = budget.kind === 'runs' ? Math.min(BATCH_TEXTS, budget.runs - done) : BATCH_TEXTS
    const seed = options.seed + batch
    batch += 1
    return { seed, runs }
  }
  const worker = async (): Promise<void> => {
    for (let job = next(); job !== null; job = next()) {
      const without = lawsToldOf(causes)
      const known = [...causes.values()].map(({ finding }) => finding).filter(({ law }) => without.has(law))
      const result = await options.search({ ...job, without, known, isOver })
      texts += result.texts
      searched += job.runs
      distribution = addDistributions(distribution, result.distribution)
      for (const finding of result.findings) noteCause(causes, finding)
      onBatch(state())
      // Lets Ctrl-C and the progress line run.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: options.width }, worker))
  return state()
}

/** One cause per law, breach and shrunk text, with its smallest finding. */
function noteCause(causes: Map<string, FoundCause>, finding: Finding): void {
  const key = JSON.stringify([finding.law, finding.breach])
  const before = causes.get(key)
  const isSmaller = before === undefined || finding.text.length < before.finding.text.length
  causes.set(key, { finding: isSmaller ? finding : before.finding, times: (before?.times ?? 0) + 1 })
}

function lawsToldOf(causes: ReadonlyMap<string, FoundCause>): ReadonlySet<LawId> {
  const perLaw = new Map<LawId, number>()
  for (const { finding, times } of causes.values()) perLaw.set(finding.law, (perLaw.get(finding.law) ?? 0) + times)
  return new Set([...perLaw].filter(([, times]) => times >= ENOUGH).map(([law]) => law))
}
