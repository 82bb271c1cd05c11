import type { Breach } from '../../client/stream-laws.ts'
import type { Completion } from '../../trace/completion.ts'
import type { Finding } from '../finding.ts'
import type { Script } from './script.ts'

/** A reply to a script, and what was wrong with its stream; nothing for a whole one. */
export interface Seen {
  readonly script: Script
  readonly reply: Completion
  readonly breaches: readonly Breach[]
  /** What the replies to all scripts show; null while they are asked. */
  readonly others: OtherReplies | null
}

/** What replies to other scripts say of a reply without a call. */
export interface OtherReplies {
  /** Whether a count of tokens can prove that something was lost. */
  readonly countsProve: boolean
  /** Whether there are replies to `tool_choice`, and none of them holds a call. */
  readonly isForceIgnored: boolean
}

/** What one reply shows. */
export type ScriptFinding = Omit<Finding, 'check'>

/** Says something about a reply, or null where there is nothing to say. */
export type Judge = (seen: Seen) => ScriptFinding | null

/** A finding of any verdict. */
export function found(
  verdict: Finding['verdict'],
  evidence: string,
  whatToChange: string | null = null,
): ScriptFinding {
  return { verdict, evidence, whatToChange }
}
