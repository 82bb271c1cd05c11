import { InputError } from '@callspec/core'

import { addDistributions, EMPTY_DISTRIBUTION } from './distribution.ts'
import type { Finding } from './finding.ts'
import type { KnownCause } from './known-causes.ts'
import type { LawId } from './law-id.ts'
import type { Law } from './law.ts'
import { LAWS } from './laws/index.ts'
import { beginGroup } from './search-group.ts'
import type { Search, SearchOptions, SearchResult } from './search-options.ts'
import type { Subject } from './subject.ts'

/**
 * A violation, made as small as it gets; null if there is none. The search ends with the first.
 *
 * @throws InputError for a path with more than one law
 */
export function findViolation(subject: Subject, options: SearchOptions = {}): Finding | null {
  for (const group of groupsOf(lawsFor(subject, options))) {
    const search = beginGroup(subject, group, { ...options, maxFindings: 1 })
    while (search.step());
    const [finding] = search.result().findings
    if (finding !== undefined) return finding
  }
  return null
}

/**
 * Checks laws on generated texts. A law that was broken is not searched again. The others go on with the texts that follow,
 * but for those that only show again what was told: one cause breaks many laws, and each law's own defect lies behind it.
 *
 * @throws InputError for a path with more than one law
 */
export function searchViolations(subject: Subject, options: SearchOptions = {}): SearchResult {
  const search = beginSearch(subject, options)
  while (search.step());
  return search.result()
}

/**
 * The same in steps.
 *
 * @throws InputError for a path with more than one law
 */
export function beginSearch(subject: Subject, options: SearchOptions = {}): Search {
  const laws = lawsFor(subject, options)
  const groups = groupsOf(laws)
  const known: KnownCause[] = [...(options.known ?? [])]
  const ended: SearchResult[] = []
  let current: Search | null = null
  const { isOver } = options
  const step = (isDue?: () => boolean): boolean => {
    const group = groups[ended.length]
    if (group === undefined || isOver?.() === true) return false
    current ??= beginGroup(subject, group, { ...options, known })
    if (current.step(isDue)) return true
    const result = current.result()
    known.push(...result.findings)
    ended.push(result)
    current = null
    return ended.length < groups.length
  }
  const result = (): SearchResult => {
    const results = current === null ? ended : [...ended, current.result()]
    return {
      findings: results.flatMap(({ findings }) => findings).sort((a, b) => rank(laws, a.law) - rank(laws, b.law)),
      texts: results.reduce((sum, { texts }) => sum + texts, 0),
      distribution: results.map(({ distribution }) => distribution).reduce(addDistributions, EMPTY_DISTRIBUTION),
      seed: options.seed ?? 0,
    }
  }
  return { step, result }
}

function lawsFor(subject: Subject, { laws = LAWS, path }: SearchOptions): readonly Law[] {
  const own = laws.filter((law) => law.applies(subject))
  if (path === undefined || own.length < 2) return own
  throw new InputError('path', 'A path belongs to one law. Name it as well.')
}

/** Laws that can be checked on the same texts. */
export function groupsOf(laws: readonly Law[]): readonly (readonly Law[])[] {
  const groups = new Map<string, Law[]>()
  for (const law of laws) {
    const key = `${law.needs} ${law.cost}`
    const group = groups.get(key) ?? []
    group.push(law)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function rank(laws: readonly Law[], id: LawId): number {
  return laws.findIndex((law) => law.id === id)
}
