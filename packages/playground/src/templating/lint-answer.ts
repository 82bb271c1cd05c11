import { lintTemplate } from '@callspec/template/lint'
import type { Finding, LintReport } from '@callspec/template/lint'

/** What is asked of a chat template. */
export interface LintQuestion {
  readonly template: string
}

/** What the lint says; prompts are cut around what is wrong in them. */
export interface LintAnswer extends Omit<LintReport, 'findings'> {
  readonly findings: readonly ShownFinding[]
}

/** A finding with the place that shows it, instead of the whole prompt. */
export interface ShownFinding extends Omit<Finding, 'rendered' | 'spot'> {
  /** Before, on and behind the spot; null where the conversation was refused. */
  readonly around: readonly [before: string, spot: string, behind: string] | null
}

/** Prompts of hostile templates may be as long as they like. In UTF-16 units. */
const AROUND = 400

/** Lints a template. Nothing in a template makes it throw. */
export function lintAnswer({ template }: LintQuestion): LintAnswer {
  const { findings, ...report } = lintTemplate({ source: template })
  return { ...report, findings: findings.map(shown) }
}

function shown({ rendered, spot, ...finding }: Finding): ShownFinding {
  if (rendered === null) return { ...finding, around: null }
  const { start, end } = spot ?? { start: rendered.length, end: rendered.length }
  const before = (start > AROUND ? '…' : '') + rendered.slice(Math.max(0, start - AROUND), start)
  const behind = rendered.slice(end, end + AROUND) + (rendered.length > end + AROUND ? '…' : '')
  return { ...finding, around: [before, rendered.slice(start, Math.min(end, start + AROUND)), behind] }
}
