import type { RegexNode } from './node.ts'

/** How many UTF-16 units a node can match. */
export interface Lengths {
  readonly min: number
  readonly max: number
}

/** The shortest and the longest match of a node, in UTF-16 units; `max` is Infinity where it has no bound. */
export function lengthsOf(node: RegexNode): Lengths {
  switch (node.kind) {
    case 'text':
      return { min: node.text.length, max: node.text.length }
    case 'set':
      return { min: 1, max: 2 }
    case 'sequence':
      return node.items
        .map(lengthsOf)
        .reduce((sum, item) => ({ min: sum.min + item.min, max: sum.max + item.max }), NOTHING)
    case 'choice':
    case 'conditional': {
      const parts = (node.kind === 'choice' ? node.options : [node.yes, node.no]).map(lengthsOf)
      return {
        min: -largest(
          parts.map(({ min }) => -min),
          -Infinity,
        ),
        max: largest(parts.map(({ max }) => max)),
      }
    }
    case 'group':
    case 'atomic':
      return lengthsOf(node.body)
    case 'repeat': {
      const { min, max } = lengthsOf(node.body)
      return { min: min * node.min, max: max === 0 || node.max === 0 ? 0 : max * node.max }
    }
    case 'assertion':
    case 'look':
      return NOTHING
    case 'reference':
    case 'unsupported':
      return { min: 0, max: Infinity }
  }
}

const NOTHING: Lengths = { min: 0, max: 0 }

/** How far before its own beginning a pattern can look, in UTF-16 units: look-behinds, `\b` and `^`. */
export function lookBehindOf(node: RegexNode): number {
  switch (node.kind) {
    case 'assertion':
      return node.at === 'begin' || node.at === 'end' || node.at === 'end-or-line-feed' ? 1 : 2
    case 'look':
      return node.isBehind ? lengthsOf(node.body).max + lookBehindOf(node.body) : lookBehindOf(node.body)
    case 'sequence':
      return largest(node.items.map(lookBehindOf))
    case 'choice':
      return largest(node.options.map(lookBehindOf))
    case 'repeat':
    case 'group':
    case 'atomic':
      return lookBehindOf(node.body)
    case 'conditional':
      return Math.max(lookBehindOf(node.yes), lookBehindOf(node.no))
    default:
      return 0
  }
}

/** The largest number of a list of any length: arguments of `Math.max` are limited. */
export function largest(numbers: readonly number[], least = 0): number {
  return numbers.reduce((most, number) => Math.max(most, number), least)
}
