import type { Probe } from '../lint/probe.ts'
import type { AttackName, PlaceName } from './attacks.ts'

/**
 * - `forged`: the prompt of the shorter conversation equals that of the real one, byte for byte
 * - `other-bytes`: both are rendered, and differ
 * - `refused`: the template refuses one of them
 * - `not-shown`: a text of the real conversation is not in its prompt, or a limit was reached
 */
export type ForgeOutcome = 'forged' | 'other-bytes' | 'refused' | 'not-shown'

/** The result of one attack. */
export interface Forgery {
  readonly attack: AttackName
  readonly outcome: ForgeOutcome
  /** What the prompts differ in, or why a prompt is missing, in one sentence; empty if forged. */
  readonly reason: string
  /** Whether white space alone keeps the prompts from being equal: the template trims texts, it does not escape them. */
  readonly byTrimming: boolean
  /** The forged text; null if the real conversation has no prompt that contains its texts. */
  readonly text: string | null
  /** The real conversation, and the one whose single text is `text`; null if there is no such text. */
  readonly real: Probe
  readonly forged: Probe | null
  /** The prompts. */
  readonly realPrompt: string | null
  readonly forgedPrompt: string | null
}

/** What happens to a turn in a declaration or in an argument. */
export interface PlaceForgery {
  readonly place: PlaceName
  /** Index in `PLACES` of the conversation. */
  readonly carrier: number
  readonly probe: Probe
  readonly prompt: string
  /** A turn of the real conversation with the texts before and after it, as the prompt of `probe` contains it. */
  readonly text: string
  readonly real: Probe
  readonly realPrompt: string
  /** The special tokens that remain in the prompt; empty if it contains all of `text`. */
  readonly tokens: readonly string[]
}

/** All attacks on one template. */
export interface Forgeries {
  readonly attacks: readonly Forgery[]
  readonly places: readonly PlaceForgery[]
}

/** One value of the template, and what the fix writes in its place. */
export interface FixEdit {
  /** Line of the template, from 1. */
  readonly line: number
  readonly before: string
  readonly after: string
}

/**
 * The fix for a text of a result, a declaration or an argument.
 *
 * - `already-json`: the template writes the text as JSON; its marks need neither quotation marks nor line feeds
 * - `not-found`: no values of the template can be quoted without changing anything else
 * - `tried`: the template with `| tojson` in place of `edits`, shown the same attack
 */
export type ForgeryFix = { readonly kind: 'already-json' } | { readonly kind: 'not-found' } | TriedFix

export interface TriedFix {
  readonly kind: 'tried'
  readonly edits: readonly FixEdit[]
  /**
   * - `gone`: the prompt no longer contains the forged marks
   * - `marks-remain`: the prompts differ, but JSON leaves the marks as they are, since they need neither quotation marks
   *   nor line feeds
   * - `still-forged`: the fix changes nothing
   */
  readonly outcome: 'gone' | 'marks-remain' | 'still-forged'
  /** The prompt of a conversation in which the text is `ORDINARY_TEXT`, before and after the fix. */
  readonly before: string
  readonly after: string
}
