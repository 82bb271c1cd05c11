import type { Attribution } from '../trace/attribution.ts'
import type { Usage, Finish } from '../trace/completion.ts'
import type { TurnQuestion, TriedEndpoint } from '../trace/trace.ts'
import type { Parsed, TurnScore } from './label-turn.ts'
import type { TurnLabel } from '@callspec/labels'

/** Whether a reply is a good call, an answer, or a text in which nothing was meant to be a call. */
export function isUsable({ strict, lenient }: { readonly strict: TurnLabel; readonly lenient: TurnLabel }): boolean {
  if (strict === 'no_tool_text') return lenient === 'no_tool_text' || lenient === 'final_answer'
  return strict === 'well_formed' || strict === 'final_answer'
}

/** A completion with its labels. */
export interface ScoredTurn extends TurnScore {
  readonly turn: number
  readonly id: string
  /** What the reply was asked for; null where it may be anything. */
  readonly asked: TurnQuestion['kind'] | null
  /** Why the reply ended, in one spelling. */
  readonly finish: Finish
  /** Milliseconds until the reply was there; null where there was none, or it came from a cache. */
  readonly ms: number | null
  /** Milliseconds until its first part was there, where it was streamed. */
  readonly firstMs: number | null
  /** Null where the server reports none. */
  readonly usage: Usage | null
  readonly cached: boolean
  readonly attempts: number
  /** Of a run with several endpoints: who answered, and who was asked in vain before. */
  readonly endpoint?: string
  readonly tried?: readonly TriedEndpoint[]
  /** How its calls could be read; null where they could not, and where there are none. */
  readonly parsed: Parsed
  /** What was odd about the reply, as short codes. */
  readonly warnings: readonly string[]
  /** Why the reply cannot be used; null where it can. */
  readonly attribution: Attribution | null
}
