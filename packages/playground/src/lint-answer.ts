import type { Finding, LintReport } from '@callspec/template/lint'
import { lintTemplate } from '@callspec/template/lint'

/** A question about a chat template. */
export interface LintQuestion {
  readonly template: string
}

/** The lint's report, with prompts cut to the part around each finding. */
export interface LintAnswer extends Omit<LintReport, 'findings'> {
  readonly findings: readonly ShownFinding[]
}

/** A finding with the place that shows it, instead of the whole prompt. */
export interface ShownFinding extends Omit<Finding, 'rendered' | 'spot'> {
  /** Before, at and after the spot; null if the conversation was refused. */
  readonly around: readonly [before: string, spot: string, after: string] | null
}

/** How much is shown on each side: prompts of hostile templates may be very long. In UTF-16 units. */
const SHOWN_AROUND = 400

/** Lints a template. No content of a template makes it throw. */
export function lintAnswer({ template }: LintQuestion): LintAnswer {
  const { findings, ...report } = lintTemplate({ source: template })
  return { ...report, findings: findings.map(shownFinding) }
}

/** A finding without its whole prompt. */
export function shownFinding({ rendered, spot, ...finding }: Finding): ShownFinding {
  if (rendered === null) return { ...finding, around: null }
  const { start, end } = spot ?? { start: rendered.length, end: rendered.length }
  const before = (start > SHOWN_AROUND ? '…' : '') + rendered.slice(Math.max(0, start - SHOWN_AROUND), start)
  const after = rendered.slice(end, end + SHOWN_AROUND) + (rendered.length > end + SHOWN_AROUND ? '…' : '')
  return { ...finding, around: [before, rendered.slice(start, Math.min(end, start + SHOWN_AROUND)), after] }
}
