import type { Finding, StandIn } from '@callspec/template/lint'
import type { LintedSource } from './lint-source.ts'

/** The version of what `callspec template lint --json` prints: `schemas/template-lint.schema.json`. */
const LINT_SCHEMA = 1

/** The findings as programs read them, ready for `JSON.stringify`. */
export function lintJson(linted: readonly LintedSource[], failed: boolean): object {
  return { schema: LINT_SCHEMA, kind: 'template-lint', failed, templates: linted.map(templateJson) }
}

function templateJson({ name, place, sha256, report }: LintedSource): object {
  const { form, standIns, conversations, findings } = report
  return {
    name,
    place,
    sha256,
    form,
    standIns: standIns.map(({ kind, name: missing }: StandIn) => ({ kind, name: missing })),
    conversations,
    findings: findings.map(findingJson),
  }
}

function findingJson({ rule, severity, about, detail, remedy, reports, probe, rendered, spot }: Finding): object {
  const { id, messages, tools, generationPrompt = true, variables = {} } = probe
  const conversation = { id, messages, tools, add_generation_prompt: generationPrompt, variables }
  return { rule, severity, about, detail, remedy, reports, conversation, rendered, spot }
}
