import type { RunLimits } from '@callspec/eval'
import { evalFormat, formatId, formatsWith, hasFormatPrompt, promptGaps } from '@callspec/eval'
import { durationFrom } from '../arguments.ts'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import type { EvalOptions } from './eval-options.ts'
import type { EvalModel } from './models.ts'
import { dollars } from './progress.ts'
import type { EvalSettings } from './settings.ts'

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 }
/** A month. */
const LONGEST_MS = 31 * 86_400_000

/**
 * When a run begins no further episodes.
 *
 * @throws UsageError for an invalid amount, and for dollars without a price
 */
export function limitsOf(options: EvalOptions, models: readonly EvalModel[]): RunLimits {
  const budgets = options.budget.map(budgetFrom)
  const time = options['time-limit']
  const unpriced = models.find(({ price }) => price === null)
  if (unpriced !== undefined && budgets.some(({ cost }) => cost !== undefined))
    throw new UsageError(
      `a budget in dollars needs the price of ${unpriced.id}: write "price" in the configuration, or give tokens, such as --budget 5Mtok.`,
    )
  const timeMs = time === null ? {} : { timeMs: durationFrom('--time-limit', time, { min: 1, max: LONGEST_MS }) }
  return Object.assign({}, ...budgets, timeMs) as RunLimits
}

/** `$20`, `5Mtok` or `2h`. */
function budgetFrom(text: string): Partial<Pick<RunLimits, 'cost' | 'tokens' | 'timeMs'>> {
  if (/^[\d.]+\s*(?:ms|s|m|h)$/.test(text.trim()))
    return { timeMs: durationFrom('--budget', text, { min: 1, max: LONGEST_MS }) }
  const [, dollars] = /^\$(\d{1,9}(?:\.\d{1,4})?)$/.exec(text.trim()) ?? []
  if (dollars !== undefined && Number(dollars) > 0) return { cost: Number(dollars) }
  const [, count, unit = ''] = /^(\d{1,12}(?:\.\d{1,4})?)\s*([kmg]?)tok(?:ens)?$/i.exec(text.trim()) ?? []
  const tokens = Number(count) * (UNITS[unit.toLowerCase()] ?? Number.NaN)
  if (tokens >= 1) return { tokens }
  throw new UsageError(
    `--budget must be dollars such as '$20', tokens such as 5Mtok, or a time such as 2h, got "${text}"`,
  )
}

/** The upper limits of a run. */
export interface DryRun {
  readonly models: readonly string[]
  /** Names, or the file of a module, which is not loaded. */
  readonly formats: readonly string[]
  /** The older name of `formats`, with the names of run folders. */
  readonly protocols: readonly string[]
  readonly tasks: number
  readonly repeat: number
  readonly episodes: number
  /** Completions, if no episode ends before its limit. */
  readonly maxCalls: number
  /** US dollars; null where a price is not known. */
  readonly maxCost: number | null
  /** Assumed for a completion in `maxCost`. */
  readonly assumedTokens: { readonly prompt: number; readonly completion: number }
}

/** Guesses: a system prompt with two to four tools and a few results, and an answer. */
const PROMPT_TOKENS = 1000
const COMPLETION_TOKENS = 300

/** A part of a run (--shard) counts as its share. */
export function dryRun({ models, formats: loaded, unloaded, tasks, repeat, shard, maxTokens }: EvalSettings): DryRun {
  const protocols = [...loaded, ...unloaded]
  const share = shard === null ? 1 : shard.parts.length / shard.of
  const perModel = protocols.length * repeat * share
  const callsPerModel = Math.ceil(perModel * tasks.reduce((sum, task) => sum + task.maxModelCalls, 0))
  const assumedTokens = { prompt: PROMPT_TOKENS, completion: maxTokens ?? COMPLETION_TOKENS }
  const costs = models.map(({ price }) =>
    price === null
      ? null
      : (callsPerModel * (assumedTokens.prompt * price.prompt + assumedTokens.completion * price.completion)) / 1e6,
  )
  return {
    models: models.map(({ id }) => id),
    formats: protocols.map(formatId),
    protocols,
    tasks: tasks.length,
    repeat,
    episodes: Math.ceil(models.length * perModel * tasks.length),
    maxCalls: callsPerModel * models.length,
    maxCost: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    assumedTokens,
  }
}

export function printDryRun(plan: DryRun, output: Output): void {
  const { models, formats, tasks, repeat, episodes, maxCalls, maxCost, assumedTokens } = plan
  output.line(`models     ${inert(models.join(', '))}`)
  output.line(`formats    ${inert(formats.join(', '))}`)
  output.line(`tasks      ${tasks}, ${repeat === 1 ? 'once' : `${repeat} times`} each`)
  output.line(`episodes   ${episodes}`)
  output.line(`requests   at most ${maxCalls}`)
  const { prompt, completion } = assumedTokens
  const how = `, if a request takes ${prompt} tokens and its reply ${completion}`
  output.line(
    `cost       ${maxCost === null ? 'unknown: no price is given' : `at most about ${dollars(maxCost)}${how}`}`,
  )
  output.line('no request was sent')
}

/**
 * Notes on the prompts of a run, a sentence each.
 *
 * @throws UsageError if --prompt callspec changes none of the formats
 */
export function promptNotes({
  prompt,
  formats,
  ownFormats,
}: Pick<EvalSettings, 'prompt' | 'formats' | 'ownFormats'>): readonly string[] {
  const table = formatsWith(ownFormats)
  const entries = [...new Set(formats.map((name) => evalFormat(name, table)))]
  if (prompt === 'maker') return entries.flatMap(promptGaps)
  const asked = entries.filter(hasFormatPrompt)
  if (asked.length === 0)
    throw new UsageError(
      `--prompt callspec changes nothing for ${entries.map(({ id }) => id).join(', ')}: name formats with a prompt of their maker, such as -f phi-4-mini.`,
    )
  return [
    `${asked.map(({ id }) => id).join(', ')}: asked by the prompt of callspec, tools and an example of a call in the system text, not by the maker's`,
  ]
}
