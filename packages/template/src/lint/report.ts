import type { Form, Probe } from './probe.ts'
import type { Sighting, Spot, View } from './view.ts'

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

/** One thing that is wrong with a template, and the conversation that shows it. */
export interface Finding {
  /** Id of the rule. */
  readonly rule: string
  readonly severity: Severity
  /** What is wrong, of any template. */
  readonly about: string
  /** What happens in this conversation; may quote the template. */
  readonly detail: string
  readonly remedy: string
  /** Addresses of public reports of the same with other templates. */
  readonly reports: readonly string[]
  readonly probe: Probe
  /** The prompt that the conversation became; null where it was refused. */
  readonly rendered: string | null
  /** Where in the prompt, in UTF-16 units; of no length where something is missing. Null where there is no prompt. */
  readonly spot: Spot | null
}

/** A name that a template lacks, replaced by a stand-in. */
export interface StandIn {
  readonly kind: 'variable' | 'function' | 'filter' | 'test'
  readonly name: string
}

/** What the lint says of one template. */
export interface LintReport {
  /** The most severe first, else in the order of the rules. */
  readonly findings: readonly Finding[]
  /** How the template wants calls to be written. */
  readonly form: Form
  readonly standIns: readonly StandIn[]
  /** How many conversations it was shown. */
  readonly conversations: number
}

/** What is looked for. */
export interface LintOptions {
  /** Ids of rules; by default every one that is no `info`. */
  readonly rules?: readonly string[]
}

/** The rules that are asked for: those named, else all that are no `info`. */
export function chosenRules(rules: readonly Rule[], { rules: named }: LintOptions): readonly Rule[] {
  return named === undefined
    ? rules.filter(({ severity }) => severity !== 'info')
    : rules.filter(({ id }) => named.includes(id))
}

const ORDER: readonly Severity[] = ['error', 'warning', 'info']

/** Sorted by severity, else as they came. */
export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((left, right) => ORDER.indexOf(left.severity) - ORDER.indexOf(right.severity))
}
