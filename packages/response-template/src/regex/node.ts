import type { CharacterSet } from './character-set.ts'

/** How often a repeated part is tried: as often as possible, as seldom as possible, or as often as possible for good. */
export type RepeatMode = 'greedy' | 'lazy' | 'possessive'

/** A place between two characters that a pattern can demand. `end-or-line-feed` is `$`. */
export type Assertion =
  | 'begin'
  | 'end'
  | 'end-or-line-feed'
  | 'line-begin'
  | 'line-end'
  | 'boundary'
  | 'no-boundary'
  | 'word-begin'
  | 'word-end'
  | 'search-begin'

/** A pattern as it was parsed. `max` of a repeat is Infinity where it has no upper bound. */
export type RegexNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | RepeatNode
  | { readonly kind: 'group'; readonly index: number; readonly name: string | null; readonly body: RegexNode }
  | { readonly kind: 'atomic'; readonly body: RegexNode }
  | LookNode
  | { readonly kind: 'reference'; readonly index: number; readonly isFolded: boolean }
  | { readonly kind: 'conditional'; readonly index: number; readonly yes: RegexNode; readonly no: RegexNode }
  | { readonly kind: 'assertion'; readonly at: Assertion }
  | { readonly kind: 'unsupported'; readonly what: string }

/** A repeated part. */
export interface RepeatNode {
  readonly kind: 'repeat'
  readonly body: RegexNode
  readonly min: number
  readonly max: number
  readonly mode: RepeatMode
}

/** A look-ahead or a look-behind. */
export interface LookNode {
  readonly kind: 'look'
  readonly body: RegexNode
  readonly isBehind: boolean
  readonly isNegative: boolean
}

/** A parsed pattern: its tree, and its groups by name. One name can be given twice; both are then one group. */
export interface ParsedRegex {
  readonly source: string
  readonly root: RegexNode
  /** Number of groups, with the whole match as group 0. */
  readonly groupCount: number
  readonly names: ReadonlyMap<string, number>
}

/** The parts of a node, in order; the parts of looks and conditions included. */
export function partsOf(node: RegexNode): readonly RegexNode[] {
  switch (node.kind) {
    case 'sequence':
      return node.items
    case 'choice':
      return node.options
    case 'repeat':
    case 'group':
    case 'atomic':
    case 'look':
      return [node.body]
    case 'conditional':
      return [node.yes, node.no]
    default:
      return []
  }
}

/** Whether a node or a part of it fits `test`. */
export function someNode(node: RegexNode, test: (node: RegexNode) => boolean): boolean {
  return test(node) || partsOf(node).some((part) => someNode(part, test))
}
