import type { CodeMutant } from './find-mutants.ts'

/** The name under which the number of the mutant that is on stands among the globals. */
export const SWITCH = '__callspecMutant'

/**
 * A source with mutants in it, each of which is on while its number stands in the switch: so one bundle holds all of them, and none has to
 * be built.
 */
export function instrumented(source: string, mutants: readonly (CodeMutant & { readonly number: number })[]): string {
  const ordered = mutants.toSorted((one, other) => one.start - other.start || other.end - one.end)
  return rendered(source, { from: 0, to: source.length, mutants: ordered })
}

interface Span {
  readonly from: number
  readonly to: number
  /** Those inside of the span, outer ones first. */
  readonly mutants: readonly (CodeMutant & { readonly number: number })[]
}

function rendered(source: string, { from, to, mutants }: Span): string {
  let text = ''
  let at = from
  for (let index = 0; index < mutants.length;) {
    const outer = mutants[index]
    if (outer === undefined) break
    let next = index + 1
    while ((mutants[next]?.end ?? Infinity) <= outer.end) next++
    const inner = rendered(source, { from: outer.start, to: outer.end, mutants: mutants.slice(index + 1, next) })
    const isOn = `globalThis.${SWITCH} === ${outer.number}`
    text += source.slice(at, outer.start)
    text += outer.isStatement ? `if (!(${isOn})) { ${inner} }` : `(${isOn} ? (${outer.mutant}) : (${inner}))`
    at = outer.end
    index = next
  }
  return text + source.slice(at, to)
}
