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
}

/** The first rule that holds; null for none. */
export function attribute<View>(rules: readonly AttributionRule<View>[], view: View): Attribution | null {
  for (const { id, blames, evidence, detail } of rules) {
    const found = evidence(view)
    if (found !== null) return { blames, rule: id, detail: detail?.(view) ?? null, evidence: found }
  }
  return null
}
