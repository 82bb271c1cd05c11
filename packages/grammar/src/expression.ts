/** A range of code points, both ends included. */
export type CodePointRange = readonly [first: number, last: number]

/**
 * What a part of a text may be. Grammars of every syntax become rules of these.
 *
 * - `free`: any bytes in which no string of `excludes` occurs; where a `trigger` ends, its `body` begins. After a body the free text goes
 *   on, unless `loop` is false; `max` limits its characters. A part of a trigger or of an excluded string may end it.
 */
export type Expression =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'characters'; readonly ranges: readonly CodePointRange[] }
  | { readonly kind: 'sequence'; readonly items: readonly Expression[] }
  | { readonly kind: 'choice'; readonly items: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly item: Expression; readonly min: number; readonly max: number | null }
  | { readonly kind: 'rule'; readonly name: string }
  | {
      readonly kind: 'free'
      readonly excludes: readonly string[]
      readonly dispatch: readonly { readonly trigger: string; readonly body: Expression }[]
      readonly loop: boolean
      readonly max: number | null
    }

/** The rules of a grammar by name, and the one to begin with. */
export type Rules = { readonly root: string; readonly rules: ReadonlyMap<string, Expression> }

/** What is wrong with a grammar; the message says where. */
export class GrammarError extends Error {
  override readonly name = 'GrammarError'
}

export const LAST_CODE_POINT = 0x10ffff
export const EMPTY: Expression = { kind: 'sequence', items: [] }
export const ANY_CHARACTERS: Expression = {
  kind: 'repeat',
  item: { kind: 'characters', ranges: [[0, LAST_CODE_POINT]] },
  min: 0,
  max: null,
}

export const literal = (value: string): Expression => ({ kind: 'text', value })
export const sequence = (...items: readonly Expression[]): Expression =>
  items.length === 1 ? (items[0] ?? EMPTY) : { kind: 'sequence', items }
export const choice = (...items: readonly Expression[]): Expression =>
  items.length === 1 ? (items[0] ?? EMPTY) : { kind: 'choice', items }
export const repeat = (item: Expression, min: number, max: number | null): Expression => ({
  kind: 'repeat',
  item,
  min,
  max,
})
export const optional = (item: Expression): Expression => repeat(item, 0, 1)
export const rule = (name: string): Expression => ({ kind: 'rule', name })

/** One character of the given ranges; a string stands for its characters. */
export function characters(...parts: readonly (string | CodePointRange)[]): Expression {
  return { kind: 'characters', ranges: normalizeRanges(rangesOf(parts)) }
}

/** One character outside the given ranges. */
export function otherCharacters(...parts: readonly (string | CodePointRange)[]): Expression {
  return { kind: 'characters', ranges: complement(normalizeRanges(rangesOf(parts))) }
}

function rangesOf(parts: readonly (string | CodePointRange)[]): CodePointRange[] {
  const ranges: CodePointRange[] = []
  for (const part of parts)
    if (typeof part === 'string')
      for (const char of part) ranges.push([char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0])
    else ranges.push(part)
  return ranges
}

/** Sorted ranges that neither overlap nor touch. */
export function normalizeRanges(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const sorted = ranges.filter(([first, last]) => first <= last).sort((one, other) => one[0] - other[0])
  const merged: [number, number][] = []
  for (const [first, last] of sorted) {
    const previous = merged.at(-1)
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** The part of normalized ranges that is ASCII: in XGrammar before 0.2.8 a negated class excludes no other characters. */
export function asciiRanges(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  return ranges.filter(([first]) => first < 0x80).map(([first, last]) => [first, Math.min(last, 0x7f)])
}

/** The code points outside normalized ranges. */
export function complement(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const outside: CodePointRange[] = []
  let next = 0
  for (const [first, last] of ranges) {
    if (first > next) outside.push([next, first - 1])
    next = last + 1
  }
  if (next <= LAST_CODE_POINT) outside.push([next, LAST_CODE_POINT])
  return outside
}
