import type { CharacterSet, RegexDialect } from './character-set.ts'
import { leadFinder, partialLeadFinder } from './lead.ts'
import type { ParsedRegex } from './node.ts'
import { parseRegex } from './parse.ts'
import { compileRegex } from './program.ts'
import type { Program } from './program.ts'
import { tryMatch } from './match.ts'
import { regexError } from './regex-cursor.ts'
import { FAILED, PatternLimitError, WANTED, newSearch } from './search.ts'
import type { Effort, Search } from './search.ts'
import { lookBehindOf } from './shape.ts'

/** A pattern that is ready to search. */
export interface Pattern {
  readonly source: string
  readonly parsed: ParsedRegex
  readonly program: Program
  /** How far before its beginning a match can depend on the text, in UTF-16 units; Infinity if on all of it. */
  readonly lookBehind: number
}

/** A match: offsets in UTF-16 units, and the groups that took part. */
export interface PatternMatch {
  readonly start: number
  readonly end: number
  /** The text ends before the match does. Then `end` is the end of the text, and groups are unknown. */
  readonly isPartial: boolean
  /** Named groups that took part, in the order of the pattern. */
  readonly named: ReadonlyMap<string, string>
  /** All groups by number; undefined for one that took no part. Group 0 is the match. */
  readonly groups: readonly (string | undefined)[]
}

/** Longer patterns are refused, which the reference would load in minutes. */
const MAX_SOURCE = 200_000

/**
 * Compiles a pattern of the Python module `regex` (version 0, DOTALL), or of Python's own `re` with DOTALL.
 *
 * @throws RegexError for a pattern that `regex` refuses
 */
export function compilePattern(source: string, dialect: RegexDialect = 'regex'): Pattern {
  if (source.length > MAX_SOURCE) throw regexError(`more than ${MAX_SOURCE} characters`, MAX_SOURCE)
  const parsed = parseRegex(source, dialect)
  return { source, parsed, program: compileRegex(parsed), lookBehind: lookBehindOf(parsed.root) }
}

/** Looks for a pattern in one text. Offsets never decrease; what was searched for them is not searched again. */
export interface PatternFinder {
  /**
   * The first match at or after `from`, or null. What lies before `from` is seen by look-behinds, `\b` and `^`.
   *
   * @param notEmptyAt an offset at which an empty match does not count
   * @throws PatternLimitError for a pattern that cannot be run here, or that needs too much work on this text
   */
  whole(from: number, notEmptyAt?: number): PatternMatch | null
  /** The first match, or else the first place from which a match would go on past the end of the text (spec §3.1). */
  partial(from: number): PatternMatch | null
}

/**
 * A finder that has searched nothing yet.
 *
 * @param effort of all searches in this text; of a stream, in all its pieces
 */
export function patternFinder(
  pattern: Pattern,
  text: string,
  effort: Effort = { work: 0, length: text.length },
): PatternFinder {
  const { lead } = pattern.program
  const state: FinderState = {
    pattern,
    text,
    required: -1,
    nextLead: lead === null ? null : leadFinder(lead, text),
    nextPartialLead: lead === null ? null : partialLeadFinder(lead, text),
    effort,
  }
  const whole = (from: number, notEmptyAt = -1): PatternMatch | null => find(state, from, notEmptyAt)
  return { whole, partial: (from) => whole(from) ?? findPartial(state, from) }
}

/** The first match from the beginning of a text, or null. @throws PatternLimitError as `PatternFinder` */
export function searchPattern(pattern: Pattern, text: string): PatternMatch | null {
  return patternFinder(pattern, text).whole(0)
}

/** The same, or what is still arriving. @throws PatternLimitError as `PatternFinder` */
export function searchPartially(pattern: Pattern, text: string): PatternMatch | null {
  return patternFinder(pattern, text).partial(0)
}

/**
 * All matches from the beginning, without overlap; after an empty one a match may begin at the same place if it is not empty.
 *
 * @throws PatternLimitError as `PatternFinder`
 */
export function* allMatches(pattern: Pattern, text: string): Generator<PatternMatch> {
  const finder = patternFinder(pattern, text)
  let from = 0
  let notEmptyAt = -1
  while (from <= text.length) {
    const match = finder.whole(from, notEmptyAt)
    if (match === null) return
    yield match
    from = match.end
    notEmptyAt = match.end === match.start ? match.end : -1
  }
}

interface FinderState {
  readonly pattern: Pattern
  readonly text: string
  readonly nextLead: ((from: number) => number) | null
  readonly nextPartialLead: ((from: number) => number) | null
  /** Where the text that every match needs was found; -1 before the first search. */
  required: number
  readonly effort: Effort
}

function find(state: FinderState, from: number, notEmptyAt: number): PatternMatch | null {
  const { pattern, text, nextLead } = state
  const { program } = pattern
  if (program.unsupported !== null) throw unsupportedError(program.unsupported)
  if (!hasRequired(state, from) || (program.isAtBegin && from > 0)) return null
  const { first } = program
  let search: Search | null = null
  for (let at = from; at <= text.length; at += unitsAt(text, at)) {
    if (nextLead !== null) {
      at = nextLead(at)
      if (at < 0) return null
    } else if (first !== null) {
      at = nextOf(first, text, at)
      if (at >= text.length) return null
    }
    // Patterns look back beyond `from` only at single places, so the memory of one start holds for the next.
    search ??= newSearch(program, text, { isPartial: false, from, notEmptyAt, effort: state.effort })
    const end = tryMatch(search, 0, at)
    state.effort.work = search.work
    if (end !== FAILED) return matchOf(pattern, text, at, end, search.slots)
    if (program.isAtBegin) return null
    search.stack.length = 0
    search.slots.fill(-1)
  }
  return null
}

function hasRequired(state: FinderState, from: number): boolean {
  const { required } = state.pattern.program
  if (required !== '' && state.required < from) {
    const at = state.text.indexOf(required, from)
    state.required = at < 0 ? Infinity : at
  }
  return state.required !== Infinity
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** The offset of the next character of the set, or the end. */
function nextOf(set: CharacterSet, text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0
    if (set.has(code)) break
    at += code > 0xffff ? 2 : 1
  }
  return at
}

function findPartial(state: FinderState, from: number): PatternMatch | null {
  const { text, nextPartialLead } = state
  const { program } = state.pattern
  if (program.isAtBegin && from > 0) return null
  const search = newSearch(program, text, { isPartial: true, from, effort: state.effort })
  const { first } = program
  for (let at = from; at <= text.length; at += unitsAt(text, at)) {
    if (nextPartialLead !== null) at = nextPartialLead(at)
    else if (first !== null) at = nextOf(first, text, at)
    const end = tryMatch(search, 0, at)
    state.effort.work = search.work
    if (end !== FAILED) {
      return { start: at, end: end === WANTED ? text.length : end, isPartial: true, named: NO_GROUPS, groups: [] }
    }
    if (at === text.length && isWantedAtEnd(search)) {
      return { start: at, end: at, isPartial: true, named: NO_GROUPS, groups: [] }
    }
    if (program.isAtBegin) return null
    search.stack.length = 0
    search.slots.fill(-1)
  }
  return null
}

/** as in the reference: at the very end of the text a look-behind, `\b` or `\B` cannot say that no match begins here. */
function isWantedAtEnd(search: Search): boolean {
  search.stack.length = 0
  search.slots.fill(-1)
  search.failed.clear()
  search.isLenientAtEnd = true
  return tryMatch(search, 0, search.text.length) === WANTED
}

const NO_GROUPS: ReadonlyMap<string, string> = new Map()

function matchOf(pattern: Pattern, text: string, start: number, end: number, slots: Int32Array): PatternMatch {
  const groups: (string | undefined)[] = []
  for (let group = 0; group < pattern.program.groups; group++) {
    const from = slots[group * 2] ?? -1
    const to = slots[group * 2 + 1] ?? -1
    groups.push(group === 0 ? text.slice(start, end) : from >= 0 && to >= from ? text.slice(from, to) : undefined)
  }
  const named = new Map<string, string>()
  for (const [name, index] of pattern.parsed.names) {
    const value = groups[index]
    if (value !== undefined) named.set(name, value)
  }
  return { start, end, isPartial: false, named, groups }
}

function unsupportedError(what: string): PatternLimitError {
  return new PatternLimitError(`The pattern has ${what}, which is not run here.`)
}
