import type { Attribution, Blamed } from '../trace/attribution.ts'

/** One line of a table of causes. */
export interface AttributionRule<View> {
  readonly id: string
  readonly blames: Blamed
  /** When it holds, for people. */
  readonly means: string
  /** What shows it; null where the rule does not hold. */
  readonly evidence: (view: View) => string | null
  readonly detail?: (view: View) => string | null
  /** Which count of the server shows it; absent for a rule that holds whatever a server counts. */
  readonly restsOn?: CountName
}

/** A count of `usage`. */
export type CountName = 'prompt' | 'completion'

/** The first rule that holds, with the next one that rests on no count; null for none. */
export function attribute<View>(rules: readonly AttributionRule<View>[], view: View): Attribution | null {
  for (const { id, blames, evidence, detail, restsOn } of rules) {
    const found = evidence(view)
    if (found === null) continue
    const cause = { blames, rule: id, detail: detail?.(view) ?? null, evidence: found }
    const instead = restsOn === undefined ? null : attribute(withoutCounts(rules), view)
    return instead === null ? cause : { ...cause, instead }
  }
  return null
}

/** The rules that hold whatever a server counts. */
export function withoutCounts<View>(rules: readonly AttributionRule<View>[]): readonly AttributionRule<View>[] {
  return rules.filter(({ restsOn }) => restsOn === undefined)
}
