import type { Rendering } from '../template.ts'
import { showConversations } from './conversations.ts'
import type { Conversations } from './conversations.ts'
import type { Probe } from './probe.ts'
import { bySeverity, chosenRules } from './report.ts'
import type { Finding, LintOptions, LintReport } from './report.ts'
import type { Rule } from './rule.ts'
import { RULES } from './rules/index.ts'
import { UNRENDERABLE } from './rules/unrenderable.ts'
import { createSubject } from './subject.ts'
import type { LintedTemplate, Missing } from './subject.ts'
import type { Sighting, View } from './view.ts'
import { createView } from './view.ts'

/**
 * Shows a template some sixty short conversations and says what is wrong with what it makes of them. Never throws because
 * of the template.
 */
export function lintTemplate(template: LintedTemplate, options: LintOptions = {}): LintReport {
  const { source, specials = [] } = template
  const subject = createSubject(template)
  const steps = showConversations()
  let next = steps.next()
  let conversations = 0
  while (next.done !== true) {
    conversations += 1
    next = steps.next(subject.render(next.value))
  }
  const view = createView(next.value.shown, { form: next.value.form, source, specials })
  return reportOf({ ...next.value, view, missing: subject.missing, conversations }, options)
}

/**
 * The same for whatever renders, such as a server. It is asked one conversation at a time; what it cannot render it raises.
 */
export async function lintRenderer(
  render: (probe: Probe) => Promise<Rendering>,
  options: LintOptions = {},
): Promise<LintReport> {
  const steps = showConversations()
  let next = steps.next()
  let conversations = 0
  while (next.done !== true) {
    conversations += 1
    next = steps.next(await render(next.value))
  }
  const view = createView(next.value.shown, { form: next.value.form, source: null, specials: [] })
  return reportOf({ ...next.value, view, missing: [], conversations }, options)
}

interface Examined extends Conversations {
  readonly view: View
  readonly missing: readonly Missing[]
  readonly conversations: number
}

function reportOf({ shown, form, view, missing, conversations }: Examined, options: LintOptions): LintReport {
  const findings = chosenRules(RULES, options).flatMap((rule) => {
    if (rule === UNRENDERABLE) {
      const [first] = missing
      if (first === undefined) return []
      const detail = missing.map((each) => each.detail).join('; then ')
      return [findingOf(rule, { ...first, detail, rendered: null, spot: null })]
    }
    const sighting: Sighting | null = rule.check(view)
    const probe = sighting === null ? undefined : shown.get(sighting.probe)?.probe
    if (sighting === null || probe === undefined) return []
    return [findingOf(rule, { ...sighting, probe, rendered: view.text(probe.id) })]
  })
  const standIns = missing.flatMap((each) => each.standIn ?? [])
  return { findings: bySeverity(findings), form, standIns, conversations }
}

function findingOf(
  { id, severity, about, remedy, reports }: Rule,
  seen: Pick<Finding, 'detail' | 'probe' | 'rendered' | 'spot'>,
): Finding {
  const { detail, probe, rendered, spot } = seen
  return { rule: id, severity, about, detail, remedy, reports, probe, rendered, spot }
}
