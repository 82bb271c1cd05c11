import type { Form, Probe } from './probe.ts'
import type { Rendering } from '../rendering.ts'
import type { Forgeries, Forgery, ForgeryFix, PlaceForgery } from '../forge/forgery.ts'

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
  /** What was forged; null for findings of any other kind. */
  readonly forgery: FoundForgery | null
}

/** A text that pretends to be turns. */
export interface FoundForgery {
  /** The text in the one place of the conversation. */
  readonly text: string
  /** The conversation that the text imitates, and its prompt. */
  readonly real: Probe
  readonly realPrompt: string
  /** The special tokens that are left of the text; empty if the prompt contains all of it. */
  readonly tokens: readonly string[]
  /** Null for users' texts, which only a tokenizer can protect, and for servers. */
  readonly fix: ForgeryFix | null
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
  /** The attacks by texts of users and results; empty for a template that renders nothing. */
  readonly forgeries: readonly Forgery[]
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

const SEVERITY_ORDER: readonly Severity[] = ['error', 'warning', 'info']

/** Sorted by severity, else as they came. */
export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (left, right) => SEVERITY_ORDER.indexOf(left.severity) - SEVERITY_ORDER.indexOf(right.severity),
  )
}

/** A place in a rendered text, in UTF-16 units; of no length where something is missing there. */
export interface Spot {
  readonly start: number
  readonly end: number
}

/** What a rule saw in one template. */
export interface Sighting {
  /** The conversation that shows it. */
  readonly probe: string
  /** What happens there, in one sentence. */
  readonly detail: string
  /** Where in what was rendered; null for a raise. */
  readonly spot: Spot | null
  readonly forgery?: FoundForgery
}

/** What a template made of every conversation. */
export interface View {
  /** The form in which its calls are written. */
  readonly form: Form
  /** The source, where it is known: for rules about what a template is for, never for what it does. */
  readonly source: string | null
  /** The conversations that were asked for, in their order. */
  readonly ids: readonly string[]
  probe(id: string): Probe | null
  /** What was rendered; null for what was not, or not asked. */
  text(id: string): string | null
  /** Why a conversation was refused; null for one that was not, or took too long. */
  raise(id: string): string | null
  readonly forgeries: Forgeries
  /** Tries the fix of the template; null if it cannot be changed. */
  fixResult(forgery: { readonly attack: Forgery['attack']; readonly text: string }): ForgeryFix | null
  fixPlace(forgery: PlaceForgery): ForgeryFix | null
}

/** The conversations and their results. */
export interface ShownRendering {
  readonly probe: Probe
  readonly rendering: Rendering
}

export function createView(
  shown: ReadonlyMap<string, ShownRendering>,
  given: Pick<View, 'form' | 'source' | 'forgeries' | 'fixResult' | 'fixPlace'>,
): View {
  const rendering = (id: string): Rendering | null => shown.get(id)?.rendering ?? null
  return {
    ...given,
    ids: [...shown.keys()],
    probe: (id) => shown.get(id)?.probe ?? null,
    text: (id) => {
      const found = rendering(id)
      return found?.kind === 'rendered' ? found.text : null
    },
    raise: (id) => {
      const found = rendering(id)
      // A limit says that the template takes too long, not that it refuses this conversation.
      if (found?.kind !== 'raised' || found.error.type.endsWith('LimitError')) return null
      return `${found.error.type}: ${found.error.message}`
    },
  }
}

/** The place of a mark, or null. */
export function spotOf(text: string, mark: string): Spot | null {
  const start = text.indexOf(mark)
  return start < 0 ? null : { start, end: start + mark.length }
}

/** The place of the first match, or null. */
export function matchSpot(text: string, pattern: RegExp): Spot | null {
  const found = pattern.exec(text)
  return found === null ? null : { start: found.index, end: found.index + found[0].length }
}

/** The place of a missing piece: after the last of these marks that the prompt contains, otherwise at the end. */
export function gapAfter(text: string, marks: readonly string[]): Spot {
  const ends = marks
    .map((mark) => text.lastIndexOf(mark) + mark.length)
    .filter((end, index) => end >= (marks[index]?.length ?? 0))
  const at = ends.length === 0 ? text.length : Math.max(...ends)
  return { start: at, end: at }
}

/** How many UTF-16 units two texts share at their beginnings. */
export function sharedPrefix(left: string, right: string): number {
  const most = Math.min(left.length, right.length)
  let at = 0
  while (at < most && left.charCodeAt(at) === right.charCodeAt(at)) at += 1
  return at
}
