import type { PyDict, PyValue } from '@callspec/python'

/** One way in which a value does not fit a schema, as Python's jsonschema finds it. */
export interface Violation {
  /** The first line of the reference's text. */
  readonly message: string
  /** The keyword that was not kept. */
  readonly keyword: string
  /** Where in the value: keys and indices from the value that the search began with. */
  readonly path: readonly (string | number)[]
  /** The value that does not fit, and the schema that holds the keyword. */
  readonly value: PyValue
  readonly schema: PyDict
  /** For `anyOf` and `oneOf`: what is wrong with each alternative. */
  readonly context: readonly Violation[]
}

/** Of two violations at one place these tell less. */
const WEAK: readonly string[] = ['anyOf', 'oneOf']

/**
 * The violation that Python's jsonschema reports: the one nearest to the top; inside an `anyOf` the one that got deepest.
 *
 * @param matchesType whether the value of a violation has the type that its schema asks for
 */
export function bestMatch(
  violations: readonly Violation[],
  matchesType: (violation: Violation) => boolean,
): Violation | null {
  const compare = (a: Violation, b: Violation): number => compareRelevance(a, b, matchesType)
  let [best] = violations
  for (const violation of violations) if (best !== undefined && compare(violation, best) > 0) best = violation
  while (best !== undefined && best.context.length > 0) {
    const [least, second] = best.context.toSorted(compare)
    if (least === undefined || (second !== undefined && compare(least, second) === 0)) break
    best = least
  }
  return best ?? null
}

/** Greater means more relevant: shallower, then later among siblings, then by keyword, then by type. */
function compareRelevance(a: Violation, b: Violation, matchesType: (violation: Violation) => boolean): number {
  return (
    b.path.length - a.path.length ||
    comparePaths(a.path, b.path) ||
    Number(!WEAK.includes(a.keyword)) - Number(!WEAK.includes(b.keyword)) ||
    Number(!matchesType(a)) - Number(!matchesType(b))
  )
}

function comparePaths(a: Violation['path'], b: Violation['path']): number {
  for (const [at, left] of a.entries()) {
    const right = b[at]
    if (right === undefined || left === right) continue
    return left < right ? -1 : 1
  }
  return 0
}
