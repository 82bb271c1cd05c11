import type { Sighting, View } from './view.ts'

/**
 * - `error`: the model is shown something wrong, or a conversation as the API has it is refused or loses a part
 * - `warning`: it costs caches, or fails in conversations that are less common
 * - `info`: true of very many templates, and rarely what is wrong; only looked for when asked for
 */
export type Severity = 'error' | 'warning' | 'info'

/** One thing that can be wrong with a template. */
export interface Rule {
  /** In kebab-case: `null-content-refused`. */
  readonly id: string
  readonly severity: Severity
  /** What is wrong, of any template, in one sentence. */
  readonly about: string
  /** What to do, or what a server must do first. */
  readonly remedy: string
  /** Addresses of public reports. */
  readonly reports: readonly string[]
  /** What the rule sees in a template, or null. */
  check(view: View): Sighting | null
}
