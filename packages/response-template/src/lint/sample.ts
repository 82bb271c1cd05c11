import type { CharacterSet } from '../regex/character-set.ts'
import type { RegexNode } from '../regex/node.ts'
import { searchPattern } from '../regex/pattern.ts'
import type { Pattern } from '../regex/pattern.ts'
import { PatternLimitError } from '../regex/search.ts'
import type { Delimiter } from '../template/response-template.ts'

/** Which of the texts that a pattern matches is written: as little as possible, or with each optional part once. */
export type SampleSize = 'short' | 'full'

/** Characters that are tried for a set, in this order; a second time with a space first, for word boundaries. */
const CHARACTERS = ['f', 'x', ' ', '1', '-', '\n', '<', '{', '>', 'é']
const SPACE_FIRST = [' ', ...CHARACTERS]

/** A text that the pattern matches, with given texts for its groups; null if none was found. */
export function sampleOfPattern(
  pattern: Pattern,
  size: SampleSize,
  groups: Readonly<Record<string, string>> = {},
): string | null {
  for (const tried of [size, 'full'] as const) {
    for (const characters of [CHARACTERS, SPACE_FIRST]) {
      const text = sampleOf(pattern.parsed.root, { size: tried, groups, characters, matched: new Map() })
      if (isMatched(pattern, text)) return text
    }
  }
  return null
}

function isMatched(pattern: Pattern, text: string): boolean {
  try {
    const match = searchPattern(pattern, text)
    // A pattern that begins with a look-ahead matches before what it wants.
    return match !== null && match.end - match.start >= text.length
  } catch (error) {
    if (error instanceof PatternLimitError) return false
    throw error
  }
}

/** A text of a delimiter: the first literal, or a sample of the pattern. */
export function sampleOfDelimiter(
  delimiter: Delimiter,
  size: SampleSize,
  groups: Readonly<Record<string, string>> = {},
): string | null {
  return delimiter.kind === 'literals'
    ? (delimiter.literals.at(-1) ?? null)
    : sampleOfPattern(delimiter.pattern, size, groups)
}

/** A pattern that needs more of a part has no sample. */
const MAX_REPEATS = 50

interface SampleContext {
  readonly size: SampleSize
  readonly groups: Readonly<Record<string, string>>
  readonly characters: readonly string[]
  readonly matched: Map<number, string>
}

function sampleOf(node: RegexNode, context: SampleContext): string {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'set':
      return characterOf(node.set, context.characters)
    case 'sequence':
      return node.items.map((item) => sampleOf(item, context)).join('')
    case 'choice':
      return sampleOf(node.options[0] ?? { kind: 'text', text: '' }, context)
    case 'repeat': {
      const optional = context.size === 'full' ? Math.min(1, node.max) : 0
      return sampleOf(node.body, context).repeat(Math.min(MAX_REPEATS, Math.max(node.min, optional)))
    }
    case 'group': {
      const given = node.name === null ? undefined : context.groups[node.name]
      const text = given ?? sampleOf(node.body, context)
      context.matched.set(node.index, text)
      return text
    }
    case 'atomic':
      return sampleOf(node.body, context)
    case 'look':
      // A text that a look-ahead wants is often not written by the rest of the pattern.
      return ''
    case 'reference':
      return context.matched.get(node.index) ?? ''
    case 'conditional':
      return sampleOf(node.yes, context)
    case 'assertion':
    case 'unsupported':
      return ''
  }
}

function characterOf(set: CharacterSet, characters: readonly string[]): string {
  return characters.find((char) => set.has(char.codePointAt(0) ?? 0)) ?? 'f'
}

/** Texts that look-aheads at the beginning of a pattern want. */
export function wantedAhead(node: RegexNode): string {
  if (node.kind === 'look')
    return node.isBehind || node.isNegative
      ? ''
      : sampleOf(node.body, { size: 'short', groups: {}, characters: CHARACTERS, matched: new Map() })
  if (node.kind === 'sequence') return node.items.map(wantedAhead).join('')
  if (node.kind === 'group' || node.kind === 'atomic') return wantedAhead(node.body)
  return ''
}
