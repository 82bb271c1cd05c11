import type { RegexDialect } from './character-set.ts'
import type { ParsedRegex } from './node.ts'
import { parseRegex } from './parse.ts'
import { compileRegex } from './program.ts'
import type { Lead, Program } from './program.ts'
import { tryMatch } from './match.ts'
import { regexError } from './regex-cursor.ts'
import { FAILED, PatternLimitError, WANTED, newSearch } from './search.ts'
import type { Search } from './search.ts'
import { largest, lookBehindOf } from './shape.ts'

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

/**
 * The first match at or after `from`, or null. What lies before `from` is seen by look-behinds, `\b` and `^`.
 *
 * @throws PatternLimitError for a pattern that cannot be run here, or that needs too much work on this text
 */
export function searchPattern(pattern: Pattern, text: string, from = 0): PatternMatch | null {
  return find(pattern, text, from)
}

/**
 * The first match, or else the first place from which a match would go on past the end of the text (spec §3.1).
 *
 * @throws PatternLimitError as `searchPattern`
 */
export function searchPartially(pattern: Pattern, text: string, from = 0): PatternMatch | null {
  return find(pattern, text, from) ?? findPartial(pattern, text, from)
}

/**
 * All matches from the beginning, without overlap; after an empty one a match may begin at the same place if it is not empty.
 *
 * @throws PatternLimitError as `searchPattern`
 */
export function* allMatches(pattern: Pattern, text: string): Generator<PatternMatch> {
  let from = 0
  let notEmptyAt = -1
  while (from <= text.length) {
    const match = find(pattern, text, from, notEmptyAt)
    if (match === null) return
    yield match
    from = match.end
    notEmptyAt = match.end === match.start ? match.end : -1
  }
}

function find(pattern: Pattern, text: string, from: number, notEmptyAt = -1): PatternMatch | null {
  const { program } = pattern
  if (program.unsupported !== null) throw unsupportedError(program.unsupported)
  if (program.required !== '' && !text.includes(program.required, from)) return null
  const search = newSearch(program, text, { isPartial: false, from, notEmptyAt })
  const { first } = program
  const nextLead = program.lead === null ? null : leadFinder(program.lead, text)
  for (let at = from; at <= text.length;) {
    if (nextLead !== null) {
      at = nextLead(at)
      if (at < 0) return null
    } else if (first !== null) {
      while (at < text.length && !first.has(text.codePointAt(at) ?? 0)) at += unitsAt(text, at)
      if (at >= text.length) return null
    }
    // Patterns look back beyond `from` only at single places, so the memory of one start holds for the next.
    const end = tryMatch(search, 0, at)
    if (end !== FAILED) return matchOf(pattern, text, at, end, search.slots)
    search.stack.length = 0
    search.slots.fill(-1)
    at += unitsAt(text, at)
  }
  return null
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function findPartial(pattern: Pattern, text: string, from: number): PatternMatch | null {
  const { program } = pattern
  const search = newSearch(program, text, { isPartial: true, from })
  const { first, lead } = program
  const nextLead = lead === null ? null : leadFinder(lead, text)
  // A match that is still arriving has no more of its first text than fits: earlier places need not be tried.
  for (let at = from; at <= text.length; at += unitsAt(text, at)) {
    if (lead !== null && nextLead !== null) {
      const whole = nextLead(at)
      at = whole >= 0 ? whole : partialLead(lead, text, at)
    } else if (first !== null) {
      while (at < text.length && !first.has(text.codePointAt(at) ?? 0)) at += unitsAt(text, at)
    }
    const end = tryMatch(search, 0, at)
    if (end !== FAILED) {
      return { start: at, end: end === WANTED ? text.length : end, isPartial: true, named: NO_GROUPS, groups: [] }
    }
    if (at === text.length && isWantedAtEnd(search)) {
      return { start: at, end: at, isPartial: true, named: NO_GROUPS, groups: [] }
    }
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

/** Finds the next place at or after an offset at which a match can begin; -1 if there is none. Each text is searched once. */
function leadFinder(lead: Lead, text: string): (from: number) => number {
  const found = lead.texts.map(() => -1)
  return (from) => {
    let best = -1
    for (const [index, wanted] of lead.texts.entries()) {
      let at = found[index] ?? -1
      if (at < from) {
        at = text.indexOf(wanted, from)
        found[index] = at < 0 ? Infinity : at
      }
      if (at >= 0 && at !== Infinity && (best < 0 || at < best)) best = at
    }
    return best < 0 ? -1 : beforeRun(lead, text, { from, at: best })
  }
}

/** Where the characters of the set before `at` begin. */
function beforeRun({ set }: Lead, text: string, { from, at }: { readonly from: number; readonly at: number }): number {
  let start = at
  while (set !== null && start > from) {
    const low = start - 1
    const size = (text.codePointAt(low - 1) ?? 0) > 0xffff && low > from ? 2 : 1
    if (!set.has(text.codePointAt(start - size) ?? 0)) break
    start -= size
  }
  return start
}

/** Where the end of the text begins a match: characters of the set, and the beginning of a text. */
function partialLead(lead: Lead, text: string, from: number): number {
  const longest = largest(lead.texts.map(({ length }) => length))
  let at = Math.max(from, text.length - longest + 1)
  while (at < text.length && !lead.texts.some((wanted) => wanted.startsWith(text.slice(at)))) at++
  return beforeRun(lead, text, { from, at })
}

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
