import type { Rendering } from '../rendering.ts'
import type { Form, Probe } from './probe.ts'
import { FORMS, MARK, USUAL } from './probe.ts'
import { callProbe, PLAIN_PROBES, probesIn, toolsProbe } from './probes.ts'
import type { Finding, LintOptions, LintReport, Rule, ShownRendering, Sighting, View } from './report.ts'
import { bySeverity, chosenRules, createView } from './report.ts'
import { UNRENDERABLE, ROLE_RULES, SANDBOX_REFUSED } from './rules/refused.ts'
import { CONTENT_RULES } from './rules/content.ts'
import { FORGERY_RULES } from './rules/forgery.ts'
import { fixPlace, fixResult } from '../forge/fix.ts'
import type { Ask } from '../forge/forge.ts'
import type { Forgeries } from '../forge/forgery.ts'
import { askOnce, tryAttacks, withRenderer } from '../forge/forge.ts'
import type { AttackName } from '../forge/attacks.ts'
import type { LintedTemplate, MissingName } from './subject.ts'
import { createSubject } from './subject.ts'
import { ARGUMENT_RULES, TOOL_RULES } from './rules/tools.ts'
import { CALL_RULES } from './rules/calls.ts'
import { TURN_RULES } from './rules/turns.ts'

/**
 * Shows a template some sixty short conversations and says what is wrong with what it makes of them. Never throws because
 * of the template.
 */
export function lintTemplate(template: LintedTemplate, options: LintOptions = {}): LintReport {
  const { source, specials = [] } = template
  const subject = createSubject(template)
  const steps = showConversations(specials)
  let next = steps.next()
  let conversations = 0
  while (next.done !== true) {
    conversations += 1
    next = steps.next(subject.render(next.value))
  }
  const { form, forgeries } = next.value
  const view = createView(next.value.shown, {
    form,
    source,
    forgeries,
    fixResult: (forgery) => fixResult(template, form, forgery),
    fixPlace: (forgery) => fixPlace(template, form, forgery),
  })
  return reportOf({ ...next.value, view, missing: subject.missing, conversations }, options)
}

/**
 * The same for any renderer, such as a server. It receives one conversation at a time, and returns a raise for one that
 * it cannot render.
 */
export async function lintRenderer(
  render: (probe: Probe) => Promise<Rendering>,
  options: LintOptions = {},
): Promise<LintReport> {
  const steps = showConversations([])
  let next = steps.next()
  let conversations = 0
  while (next.done !== true) {
    conversations += 1
    next = steps.next(await render(next.value))
  }
  const { form, forgeries } = next.value
  // A server's template cannot be changed from here, so that no fix can be tried.
  const without = { source: null, fixResult: () => null, fixPlace: () => null }
  const view = createView(next.value.shown, { form, forgeries, ...without })
  return reportOf({ ...next.value, view, missing: [], conversations }, options)
}

interface ExaminedForm extends Conversations {
  readonly view: View
  readonly missing: readonly MissingName[]
  readonly conversations: number
}

function reportOf(
  { shown, form, view, missing, conversations, forgeries }: ExaminedForm,
  options: LintOptions,
): LintReport {
  const findings = chosenRules(RULES, options).flatMap((rule) => {
    if (rule === UNRENDERABLE) {
      const [first] = missing
      if (first === undefined) return refusesAll(shown, view).map((seen) => ruleFinding(rule, seen))
      const detail = missing.map((each) => each.detail).join('; then ')
      return [ruleFinding(rule, { ...first, detail, rendered: null, spot: null, forgery: null })]
    }
    const sighting: Sighting | null = rule.check(view)
    const probe = sighting === null ? undefined : shown.get(sighting.probe)?.probe
    if (sighting === null || probe === undefined) return []
    return [ruleFinding(rule, { forgery: null, ...sighting, probe, rendered: view.text(probe.id) })]
  })
  const standIns = missing.flatMap((each) => each.standIn ?? [])
  return { findings: bySeverity(findings), form, standIns, conversations, forgeries: forgeries.attacks }
}

/** What is shown of a template that refuses every conversation, also the shortest; nothing of any other. */
function refusesAll(
  shown: ReadonlyMap<string, ShownRendering>,
  view: View,
): readonly Parameters<typeof ruleFinding>[1][] {
  const [first] = shown.values()
  if (first === undefined || view.ids.some((id) => view.raise(id) === null)) return []
  if (SANDBOX_REFUSED.check(view) !== null) return []
  const detail = view.raise(first.probe.id) ?? ''
  return [{ probe: first.probe, detail, rendered: null, spot: null, forgery: null }]
}

function ruleFinding(
  { id, severity, about, remedy, reports }: Rule,
  seen: Pick<Finding, 'detail' | 'probe' | 'rendered' | 'spot' | 'forgery'>,
): Finding {
  const { detail, probe, rendered, spot, forgery } = seen
  return { rule: id, severity, about, detail, remedy, reports, probe, rendered, spot, forgery }
}

interface Conversations {
  readonly form: Form
  readonly shown: ReadonlyMap<string, ShownRendering>
  readonly forgeries: Forgeries
}

const NO_FORGERIES: Forgeries = { attacks: [], places: [] }

/**
 * Asks for every conversation to be rendered, one after the other: yields a probe and takes what was rendered of it. Which
 * come later depends on what came before: first the form is found out in which the template takes calls.
 */
function* showConversations(specials: readonly string[]): Generator<Probe, Conversations, Rendering> {
  const shown = new Map<string, ShownRendering>()
  const ask = function* (probe: Probe): Generator<Probe, Rendering, Rendering> {
    const rendering = yield probe
    shown.set(probe.id, { probe, rendering })
    return rendering
  }
  for (const probe of PLAIN_PROBES) yield* ask(probe)
  if (isHopeless(shown)) return { form: USUAL, shown, forgeries: NO_FORGERIES }
  const form = yield* findForm(ask)
  for (const probe of [toolsProbe(form), callProbe(form), ...probesIn(form)]) yield* ask(probe)
  const forgeries = yield* tryAttacks(form, { ask, specials })
  return { form, shown, forgeries }
}

/** The attacks by the texts of users and results, in the form of calls that was found out first. */
export interface TriedAttacks {
  readonly form: Form
  readonly attacks: Forgeries['attacks']
}

/** Tries attacks on a template; all of them if none are named. Never throws because of the template. */
export function forgeTemplate(template: LintedTemplate, names: readonly AttackName[] | null): TriedAttacks {
  return forgePrompts(createSubject(template).render, names)
}

/** The same for a function that renders. */
export function forgePrompts(
  render: (probe: Probe) => Rendering,
  names: readonly AttackName[] | null = null,
): TriedAttacks {
  return withRenderer(render, (ask) => findFormAndAttack(ask, names))
}

/** The same for a server. */
export async function forgeRenderer(
  render: (probe: Probe) => Promise<Rendering>,
  attacks: readonly AttackName[] | null,
): Promise<TriedAttacks> {
  const steps = findFormAndAttack(askOnce, attacks)
  let next = steps.next()
  while (next.done !== true) next = steps.next(await render(next.value))
  return next.value
}

function* findFormAndAttack(ask: Ask, names: readonly AttackName[] | null): Generator<Probe, TriedAttacks, Rendering> {
  const form = yield* findForm(ask)
  const { attacks } = yield* tryAttacks(form, { ask, specials: [], names })
  return { form, attacks }
}

/** Limits are reached as fast by every other conversation. */
function isHopeless(shown: ReadonlyMap<string, ShownRendering>): boolean {
  return [...shown.values()].every(
    ({ rendering }) => rendering.kind === 'raised' && /Limit|Syntax|^VariablesError$/.test(rendering.error.type),
  )
}

function* findForm(ask: Ask): Generator<Probe, Form, Rendering> {
  const tools = yield* findTools(ask)
  let rendered: Form | null = null
  for (const form of FORMS) {
    const tried = { ...form, tools }
    const text = yield* promptOf(ask, callProbe(tried))
    if (text === null) continue
    if (text.includes(MARK.argument) && !isRepr(text)) return tried
    rendered ??= tried
  }
  return rendered ?? { ...USUAL, tools }
}

/** An object printed as Python prints it: the template wants the text. */
function isRepr(text: string): boolean {
  return text.includes(`{'station': '${MARK.argument}'}`)
}

function* findTools(ask: Ask): Generator<Probe, Form['tools'], Rendering> {
  for (const tools of ['wrapped', 'bare'] as const) {
    if ((yield* promptOf(ask, toolsProbe({ ...USUAL, tools }))) !== null) return tools
  }
  return 'none'
}

function* promptOf(ask: Ask, probe: Probe): Generator<Probe, string | null, Rendering> {
  const rendering = yield* ask(probe)
  return rendering.kind === 'rendered' ? rendering.text : null
}

/** Every rule, in the order of reports. */
export const RULES: readonly Rule[] = [
  UNRENDERABLE,
  SANDBOX_REFUSED,
  ...TOOL_RULES,
  ...ROLE_RULES,
  ...CALL_RULES,
  ...ARGUMENT_RULES,
  ...CONTENT_RULES,
  ...TURN_RULES,
  ...FORGERY_RULES,
]
