import type { CodeMutant, Range } from './find-mutants.ts'

/** The name among the globals of a function that says whether the mutant of a number is on. */
export const SWITCH = '__callspecMutant'
/** The name among the globals of a function that is called in every turn of a loop, and ends the endless ones. */
export const TICK = '__callspecTick'

/** What of a source is instrumented. */
export interface Places {
  readonly mutants: readonly (CodeMutant & { readonly number: number })[]
  /** Bodies of loops, by their offsets. */
  readonly loops: readonly Range[]
}

/**
 * A source with mutants in it, each of which is on while the switch says so of its number: so one bundle holds all of them, and none has
 * to be built.
 */
export function instrumented(source: string, { mutants, loops }: Places): string {
  const edits = [
    ...loops.map(({ start, end }) => ({ start, end, around: (inner: string) => `{ globalThis.${TICK}(); ${inner} }` })),
    ...mutants.map((mutant) => ({ start: mutant.start, end: mutant.end, around: switched(mutant) })),
  ]
  const ordered = edits.toSorted((one, other) => one.start - other.start || other.end - one.end)
  return rendered(source, { from: 0, to: source.length, edits: ordered })
}

function switched({ number, mutant, isStatement }: Places['mutants'][number]): (inner: string) => string {
  const isOn = `globalThis.${SWITCH}(${number})`
  return (inner) => (isStatement ? `{ if (!${isOn}) { ${inner} } }` : `(${isOn} ? (${mutant}) : (${inner}))`)
}

interface Edit extends Range {
  readonly around: (inner: string) => string
}

interface Span {
  readonly from: number
  readonly to: number
  /** Those inside of the span, outer ones first. */
  readonly edits: readonly Edit[]
}

function rendered(source: string, { from, to, edits }: Span): string {
  let text = ''
  let at = from
  for (let index = 0; index < edits.length;) {
    const outer = edits[index]
    if (outer === undefined) break
    let next = index + 1
    while ((edits[next]?.end ?? Infinity) <= outer.end) next++
    const inner = rendered(source, { from: outer.start, to: outer.end, edits: edits.slice(index + 1, next) })
    text += source.slice(at, outer.start) + outer.around(inner)
    at = outer.end
    index = next
  }
  return text + source.slice(at, to)
}
