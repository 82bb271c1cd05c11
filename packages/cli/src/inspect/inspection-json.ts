import type { EngineAdvice } from '@callspec/compat-data'
import type { InspectedTemplate, Inspection, ModelDifference, ServedFormat } from '@callspec/inspect'
import type { ForgedSource } from '../template/forge.ts'
import { forgedAttacks } from '../template/forge.ts'
import { findingJson } from '../template/lint.ts'
import { sha256Of } from '../template/diff.ts'

/** Everything that is printed of a model. */
export interface InspectedModel {
  /** As the user wrote it. */
  readonly given: string
  /** What commands that read files can be given; null for a model that was fetched and not written. */
  readonly path: string | null
  readonly inspection: Inspection
  readonly engines: readonly EngineAdvice[]
  readonly difference: ModelDifference | null
  /** The other copy: its name, and where it is here; null for one that was fetched. */
  readonly against: { readonly given: string; readonly path: string | null } | null
}

/** The version of this JSON: `schemas/inspect.schema.json`. */
const INSPECT_SCHEMA = 1

/** All of an inspection as plain data. */
export function inspectionJson(
  { inspection, engines, difference }: InspectedModel,
  served: readonly ServedFormat[],
): object {
  const { name, files, format, versions, template, missing, formatPrompt, response } = inspection
  const { sure, evidence, lacks } = format
  return {
    schema: INSPECT_SCHEMA,
    kind: 'model-inspection',
    model: name,
    files,
    format: {
      formats: served,
      sure,
      because: evidence.map(({ by, formats: ids, says }) => ({ by, formats: ids, says })),
      notCovered: lacks,
      versions,
    },
    template: template === null ? null : templateJson(name, template),
    noTemplate: missing,
    formatPrompt,
    responseTemplate: response,
    engines,
    difference,
  }
}

function templateJson(name: string, { place, text, chosen, others, prompt, lint }: InspectedTemplate): object {
  const { findings, form, standIns, conversations, forgeries } = lint
  const forged: ForgedSource = { name, attacks: forgeries }
  return {
    place,
    sha256: sha256Of(text),
    name: chosen,
    others,
    prompt: prompt.kind === 'rendered' ? { text: prompt.text } : { error: prompt.error },
    lint: {
      form,
      standIns: standIns.map(({ kind, name: missing }) => ({ kind, name: missing })),
      conversations,
      findings: findings.map(findingJson),
    },
    forged: forgedAttacks(forged),
  }
}
