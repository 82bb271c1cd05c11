import { ALL_CHARACTERS, characterSet, negated } from './character-set.ts'
import type { CharacterSet, RegexDialect } from './character-set.ts'
import { readBackslash, setOfCharacter } from './escape.ts'
import { readGroup } from './group.ts'
import { regexError } from './regex-cursor.ts'
import type { RegexCursor, RegexFlags } from './regex-cursor.ts'
import type { ParsedRegex, RegexNode, RepeatMode } from './node.ts'
import { readSet } from './set.ts'

/** Deeper nesting than this is refused, since the parser calls itself. */
const MAX_NESTING = 200

/**
 * Parses a pattern as the Python module `regex` does in version 0, with the flag DOTALL. What is legal there and cannot
 * be run here (recursion, fuzzy matching, `\X`) becomes a node of kind `unsupported`.
 *
 * @throws RegexError for a pattern that `regex` refuses
 */
export function parseRegex(source: string, dialect: RegexDialect = 'regex'): ParsedRegex {
  let initial: RegexFlags = { isFolded: false, isMultiline: false, isDotAll: true, isVerbose: false }
  // In version 0 a flag such as (?i) counts for the whole pattern, wherever it is: then reading begins again.
  for (;;) {
    const cursor: RegexCursor = {
      source,
      dialect,
      at: 0,
      depth: 0,
      flags: initial,
      groupCount: 1,
      names: new Map(),
      references: [],
      wholeFlags: null,
      parseChoice: () => readChoice(cursor),
    }
    const root = readChoice(cursor)
    if (cursor.wholeFlags !== null && !sameFlags(cursor.wholeFlags, initial)) {
      initial = cursor.wholeFlags
      continue
    }
    if (cursor.at < source.length) throw regexError('unbalanced parenthesis', cursor.at)
    checkReferences(cursor)
    return { source, root, groupCount: cursor.groupCount, names: cursor.names }
  }
}

function sameFlags(left: RegexFlags, right: RegexFlags): boolean {
  return (
    left.isFolded === right.isFolded &&
    left.isMultiline === right.isMultiline &&
    left.isDotAll === right.isDotAll &&
    left.isVerbose === right.isVerbose
  )
}

function checkReferences(cursor: RegexCursor): void {
  for (const { group, at } of cursor.references) {
    const isKnown = typeof group === 'string' ? cursor.names.has(group) : group < cursor.groupCount
    if (!isKnown) throw regexError('invalid group reference', at)
  }
}

function readChoice(cursor: RegexCursor): RegexNode {
  if (cursor.depth >= MAX_NESTING) throw regexError(`groups nested deeper than ${MAX_NESTING}`, cursor.at)
  cursor.depth++
  const options = [readSequence(cursor)]
  while (cursor.source[cursor.at] === '|') {
    cursor.at++
    options.push(readSequence(cursor))
  }
  cursor.depth--
  const [only] = options
  return options.length === 1 && only !== undefined ? only : { kind: 'choice', options }
}

function readSequence(cursor: RegexCursor): RegexNode {
  const items: RegexNode[] = []
  for (;;) {
    if (cursor.flags.isVerbose) skipVerboseSpace(cursor)
    const char = cursor.source[cursor.at]
    if (char === undefined || char === '|' || char === ')') break
    const from = cursor.at
    const item = readItem(cursor)
    if (item === null) continue
    items.push(readQuantifier(cursor, item, from))
  }
  const joined = joinTexts(items)
  const [only] = joined
  return joined.length === 1 && only !== undefined ? only : { kind: 'sequence', items: joined }
}

function skipVerboseSpace(cursor: RegexCursor): void {
  for (;;) {
    const char = cursor.source[cursor.at]
    if (char !== undefined && /[\t-\r ]/.test(char)) cursor.at++
    else if (char === '#') {
      const end = cursor.source.indexOf('\n', cursor.at)
      cursor.at = end < 0 ? cursor.source.length : end + 1
    } else return
  }
}

/** One item without its quantifier, or null for what matches nothing by itself (flags, comments). */
function readItem(cursor: RegexCursor): RegexNode | null {
  const { source, at, flags } = cursor
  const code = source.codePointAt(at) ?? 0
  const char = String.fromCodePoint(code)
  switch (char) {
    case '(':
      return readGroup(cursor)
    case '[':
      return { kind: 'set', set: readSet(cursor) }
    case '\\':
      return readBackslash(cursor)
    case '.':
      cursor.at++
      return { kind: 'set', set: flags.isDotAll ? ALL_CHARACTERS : NO_LINE_FEED }
    case '^':
      cursor.at++
      return { kind: 'assertion', at: flags.isMultiline ? 'line-begin' : 'begin' }
    case '$':
      cursor.at++
      return { kind: 'assertion', at: flags.isMultiline ? 'line-end' : 'end-or-line-feed' }
    case '*':
    case '+':
    case '?':
      throw regexError('nothing to repeat', at)
    default:
      if (char === '{' && boundsAt(source, at) !== null) throw regexError('nothing to repeat', at)
      cursor.at += char.length
      return characterNode(code, flags)
  }
}

const NO_LINE_FEED: CharacterSet = negated(
  characterSet('\\n', (code) => code === 0x0a),
  '.',
)

/** The node of one character: a text, or the set of its variants where case does not count. */
function characterNode(code: number, flags: RegexFlags): RegexNode {
  const set = flags.isFolded ? setOfCharacter(code) : null
  return set === null ? { kind: 'text', text: String.fromCodePoint(code) } : { kind: 'set', set }
}

interface Bounds {
  readonly min: number
  readonly max: number
  readonly end: number
}

function readQuantifier(cursor: RegexCursor, item: RegexNode, from: number): RegexNode {
  if (cursor.flags.isVerbose) skipVerboseSpace(cursor)
  const { source } = cursor
  if (source[cursor.at] === '{' && isFuzzy(source, cursor.at)) {
    cursor.at = source.indexOf('}', cursor.at) + 1
    return { kind: 'unsupported', what: 'fuzzy matching' }
  }
  const bounds = boundsAt(source, cursor.at)
  if (bounds === null) return item
  if (bounds.max < bounds.min) throw regexError('min repeat greater than max repeat', cursor.at)
  if (item.kind === 'assertion' && from === cursor.at) throw regexError('nothing to repeat', cursor.at)
  cursor.at = bounds.end
  let mode: RepeatMode = 'greedy'
  if (source[cursor.at] === '?') mode = 'lazy'
  if (source[cursor.at] === '+') mode = 'possessive'
  if (mode !== 'greedy') cursor.at++
  if (boundsAt(source, cursor.at) !== null) throw regexError('multiple repeat', cursor.at)
  return { kind: 'repeat', body: item, min: bounds.min, max: bounds.max, mode }
}

const FUZZY = /^\{\s*(?:[idse]\b|\d+\s*<=?\s*[idse]|[idse]\s*<)/

function isFuzzy(source: string, at: number): boolean {
  return FUZZY.test(source.slice(at, at + 40)) && source.includes('}', at)
}

const BRACES = /^\{(\d*)(?:(,)(\d*))?\}/

/** The bounds that a quantifier at `at` gives, or null where none is: `{a}` and `{,}`are text. */
function boundsAt(source: string, at: number): Bounds | null {
  switch (source[at]) {
    case '*':
      return { min: 0, max: Infinity, end: at + 1 }
    case '+':
      return { min: 1, max: Infinity, end: at + 1 }
    case '?':
      return { min: 0, max: 1, end: at + 1 }
    case '{': {
      const match = BRACES.exec(source.slice(at, at + 40))
      if (match === null) return null
      const [whole, low = '', comma, high = ''] = match
      if (low === '' && comma === undefined) return null
      const min = low === '' ? 0 : Number(low)
      const max = comma === undefined ? min : high === '' ? Infinity : Number(high)
      return { min, max, end: at + whole.length }
    }
    default:
      return null
  }
}

/** Neighbouring texts as one, so that they are compared at once. */
function joinTexts(items: readonly RegexNode[]): readonly RegexNode[] {
  const joined: RegexNode[] = []
  for (const item of items) {
    const last = joined.at(-1)
    if (item.kind === 'text' && last?.kind === 'text') {
      joined[joined.length - 1] = { kind: 'text', text: last.text + item.text }
    } else joined.push(item)
  }
  return joined
}
