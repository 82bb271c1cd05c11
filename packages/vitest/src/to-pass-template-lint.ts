import { lintTemplate, RULES } from '@callspec/template/lint'
import type { Finding, LintedTemplate } from '@callspec/template/lint'

import type { MatcherResult } from './explain.ts'

/** What a template has to be free of. */
export interface TemplateLintOptions {
  /** `warning` for warnings as well as errors. Default: errors alone. */
  readonly failOn?: 'error' | 'warning'
  /** Only these rules, also those of severity info. Default: every rule that is no info. */
  readonly rules?: readonly string[]
  /** Rules whose findings are known and borne. */
  readonly except?: readonly string[]
}

/**
 * Whether a chat template passes the lint of `@callspec/template/lint`. Takes its text, or `{ source, tokens, specials }`.
 * With `rules`, findings of severity info count as well.
 *
 * @throws TypeError for what is no template, and for a rule that does not exist
 */
export function toPassTemplateLint(received: unknown, options: TemplateLintOptions = {}): MatcherResult {
  const template = templateOf(received)
  const { failOn = 'error', rules, except = [] } = options
  const unknown = [...(rules ?? []), ...except].find((id) => RULES.every((rule) => rule.id !== id))
  if (unknown !== undefined) throw new TypeError(`toPassTemplateLint: there is no rule "${unknown}".`)
  const { findings } = lintTemplate(template, rules === undefined ? {} : { rules })
  const counted = findings.filter(
    ({ rule, severity }) =>
      !except.includes(rule) && (rules !== undefined || severity === 'error' || severity === failOn),
  )
  return {
    pass: counted.length === 0,
    message: () =>
      counted.length === 0
        ? 'the template was not to pass the lint; nothing was found'
        : [`the template does not pass the lint`, ...counted.map(lineOf)].join('\n'),
  }
}

function templateOf(received: unknown): LintedTemplate {
  if (typeof received === 'string') return { source: received }
  if (typeof received === 'object' && received !== null && 'source' in received && typeof received.source === 'string')
    return received as LintedTemplate
  throw new TypeError('toPassTemplateLint: the received value is no template. Give its text, or { source, tokens }.')
}

function lineOf({ rule, severity, about, detail, remedy, probe }: Finding): string {
  const shown = detail.length > 200 ? `${detail.slice(0, 199)}…` : detail
  return `  ${severity.padEnd(7)} ${rule} (${probe.id}): ${about}\n          ${shown.replace(/\s+/g, ' ')}\n          → ${remedy}`
}
