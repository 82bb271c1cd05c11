import { matchCalls } from './match-calls.ts'
import type { CallMatch } from './match-calls.ts'
import { callKey } from './verdict.ts'
import type { MadeCall } from './verdict.ts'
import { hash } from 'node:crypto'
import type { TurnLine } from '../trace/trace.ts'
import type { Task } from '../trace/task.ts'

/**
 * What the model said in an episode, as 16 hex digits: tries of a task that say the same to the byte have the same. Ids and
 * times are not said by the model.
 */
export function repliesHash(turns: readonly TurnLine[]): string {
  const said = turns.map(({ text, reasoning, toolCalls, failure }) => [
    text,
    reasoning,
    toolCalls.map(({ name, arguments: given }) => [name, given]),
    failure?.kind ?? null,
  ])
  return hash('sha256', JSON.stringify(said)).slice(0, 16)
}

/** Tokens of an episode as the server counted them. */
export interface TokenUse {
  readonly prompt: number
  readonly completion: number
  /** How many of `completion` went into thinking; null where the server does not say. */
  readonly reasoning: number | null
}

/** Whether a call was due at the start of a task, and whether one was meant: TP, FP, FN or TN. */
export type Trigger = 'tp' | 'fp' | 'fn' | 'tn'

/**
 * The tokens of all turns; null when the server left them out for one of them, because unknown is not 0, and when one came
 * from a cache, because then nobody paid for it.
 */
export function tokensOf(turns: readonly TurnLine[]): TokenUse | null {
  let [prompt, completion] = [0, 0]
  let reasoning: number | null = 0
  for (const { usage, cached } of turns) {
    if (usage === null || cached) return null
    prompt += usage.prompt
    completion += usage.completion
    reasoning = usage.reasoning === undefined || reasoning === null ? null : reasoning + usage.reasoning
  }
  return turns.length === 0 ? null : { prompt, completion, reasoning }
}

/** How many calls had been made before with the same result: they brought nothing. */
export function redundantCalls(calls: readonly MadeCall[]): number {
  return calls.length - new Set(calls.map(callKey)).size
}

/** Precision and recall of the calls; null where the task does not say which calls are right. */
export function callMatchOf({ verdict }: Task, calls: readonly MadeCall[]): CallMatch | null {
  return verdict.gold === undefined ? null : matchCalls(calls, verdict.gold, verdict.order ?? 'any')
}

/**
 * Held against the first reply: does the task need a call, and was one meant? A broken call is one that was meant. Null
 * where the verdict leaves it open, or nobody replied.
 */
export function triggerOf({ verdict }: Task, meantCall: boolean | null): Trigger | null {
  const isDue = callIsDue(verdict)
  if (isDue === null || meantCall === null) return null
  if (meantCall) return isDue ? 'tp' : 'fp'
  return isDue ? 'fn' : 'tn'
}

function callIsDue({ must, gold, minCalls = 0, maxCalls }: Task['verdict']): boolean | null {
  if ((must ?? []).length > 0 || (gold ?? []).length > 0 || minCalls > 0) return true
  return maxCalls === 0 || gold?.length === 0 ? false : null
}
