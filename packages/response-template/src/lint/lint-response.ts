import { dumps } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import type { RenderPrompt } from '../roundtrip/round-trip.ts'
import { loadTemplate } from '../template/load.ts'
import { resultData } from '../answer-line.ts'
import { checkField } from './field-rules.ts'
import type { Sighting } from './field-rules.ts'
import { checkPair } from './pair-rules.ts'
import { RESPONSE_RULES } from './rules.ts'
import type { ResponseRule } from './rules.ts'
import { checkTemplate } from './template-rules.ts'
import type { Witness } from './witness.ts'

/** One thing that is wrong with a response template. */
export interface ResponseFinding extends ResponseRule {
  /** The field; null if it is not about one. */
  readonly field: string | null
  /** What happens with this template. */
  readonly detail: string
  /** A reply that shows it; null where none can be written. */
  readonly witness: Witness | null
}

/** A finding as plain data. */
export interface ResponseFindingData extends Pick<
  ResponseFinding,
  'severity' | 'about' | 'detail' | 'remedy' | 'field'
> {
  readonly rule: ResponseRule['id']
  /** A reply that shows it; null where none can be written. */
  readonly reply: string | null
  /** The pieces in which it arrives; null for a whole reply. */
  readonly chunks: readonly string[] | null
  /** What it becomes, and what another reading gives that should be the same: JSON of `{message}` or `{raise}`. */
  readonly read: string | null
  readonly instead: string | null
}

/** A finding as plain data, for JSON and pages. */
export function findingData(finding: ResponseFinding): ResponseFindingData {
  const { id: rule, severity, about, detail, remedy, field, witness } = finding
  const { text = null, chunks = null, result = null, other = null } = witness ?? {}
  return {
    ...{ rule, severity, about, detail, remedy, field, reply: text, chunks },
    read: result === null ? null : dumps(resultData(result)),
    instead: other === null ? null : dumps(resultData(other)),
  }
}

/** What is looked for. */
export interface ResponseLintOptions {
  /** The chat template of the model, for the five rules that need it. */
  readonly render?: RenderPrompt | undefined
  /** Ids of rules; by default every one that is no info. */
  readonly rules?: readonly string[] | undefined
}

/**
 * Says what is wrong with a response template: from its patterns, and by replies that are read whole and cut at every place. Never throws
 * because of the template. The most severe first, each rule once per field.
 */
export async function lintResponseTemplate(
  value: PyValue,
  options: ResponseLintOptions = {},
): Promise<readonly ResponseFinding[]> {
  const chosen = RESPONSE_RULES.filter(({ id, severity }) =>
    options.rules === undefined ? severity !== 'info' : options.rules.includes(id),
  )
  const sightings = await sightingsOf(value, options.render ?? null)
  const found = chosen.flatMap((rule) =>
    firstPerField(sightings.filter((sighting) => sighting.rule === rule.id)).map(({ field, detail, witness }) => ({
      ...rule,
      field,
      detail,
      witness,
    })),
  )
  return found.toSorted((left, right) => ORDER.indexOf(left.severity) - ORDER.indexOf(right.severity))
}

const ORDER = ['error', 'warning', 'info']

async function sightingsOf(value: PyValue, render: RenderPrompt | null): Promise<readonly Sighting[]> {
  const loaded = loadTemplate(value)
  if (loaded.kind === 'refused') {
    const { kind, message } = loaded.fault
    return [{ rule: 'refused', field: null, detail: `${kind}: ${message}`, witness: null }]
  }
  const { template } = loaded
  const pair = render === null ? [] : await checkPair(template, render)
  return [...template.fields.flatMap((field) => checkField(template, field)), ...checkTemplate(template), ...pair]
}

function firstPerField(sightings: readonly Sighting[]): readonly Sighting[] {
  return sightings.filter((sighting, index) => sightings.findIndex(({ field }) => field === sighting.field) === index)
}
