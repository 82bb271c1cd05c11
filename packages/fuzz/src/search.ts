import fc from 'fast-check'

import { InputError } from '@callspec/core'

import { samplesFor } from './arbitraries/samples.ts'
import { addDistributions, EMPTY_DISTRIBUTION } from './distribution.ts'
import type { Distribution, TextKind } from './distribution.ts'
import { examinerOf } from './examine.ts'
import type { Examiner } from './examine.ts'
import type { Finding } from './finding.ts'
import { withWatchers } from './known-causes.ts'
import type { KnownCause } from './known-causes.ts'
import type { LawId } from './law-id.ts'
import type { Law } from './law.ts'
import { LAWS } from './laws/index.ts'
import type { Sample } from './sample.ts'
import type { SearchOptions, SearchResult } from './search-options.ts'
import { smallestFinding } from './smallest.ts'
import type { RemoteSubject, Subject } from './subject.ts'

const MAX_QUADRATIC_LENGTH = 200

/** Samples in one batch: enough to hide the round trip to a program, few enough to end soon. */
const BATCH = 32

/**
 * Checks laws on generated texts, batch by batch, and gives each law's first violation, made as small as possible. A law that
 * was broken is not searched again. The others go on with the texts that follow, except for texts that show a reported cause
 * again: one cause breaks many laws, and would hide each law's own defect.
 *
 * A parser in this process answers at once; the questions to a program go in one request per batch. Both see the same texts.
 *
 * @throws InputError for a path with more than one law
 */
export async function searchViolations(
  subject: Subject | RemoteSubject,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const laws = lawsFor(subject, options)
  const examiner = examinerOf(subject, options)
  const known: KnownCause[] = [...(options.known ?? [])]
  const seen: Seen = { findings: [], texts: 0, distribution: EMPTY_DISTRIBUTION }
  const result = (): SearchResult => ({
    ...seen,
    findings: seen.findings.toSorted((a, b) => rank(laws, a.law) - rank(laws, b.law)),
    seed: options.seed ?? 0,
  })
  for (const group of groupsOf(laws).flatMap((each) => timedApart(each, subject))) {
    if (examiner.isOver() || isEnough(seen, options)) break
    await searchGroup(examiner, { ...options, ...group, runs: group.runs(options.runs ?? 1000), known, seen, result })
  }
  return result()
}

/**
 * A violation, made as small as possible; null if there is none. The search ends with the first.
 *
 * @throws InputError for a path with more than one law
 */
export async function findViolation(
  subject: Subject | RemoteSubject,
  options: SearchOptions = {},
): Promise<Finding | null> {
  const { findings } = await searchViolations(subject, { ...options, maxFindings: 1 })
  return findings[0] ?? null
}

interface Seen {
  readonly findings: Finding[]
  texts: number
  distribution: Distribution
}

interface GroupSearch extends SearchOptions {
  readonly laws: readonly Law[]
  readonly runs: number
  /** Reported causes; those that are found are added. */
  readonly known: KnownCause[]
  readonly seen: Seen
  readonly result: () => SearchResult
}

/** Checks laws that need the same kind of text, on the same texts. */
async function searchGroup(examiner: Examiner, group: GroupSearch): Promise<void> {
  const { subject } = examiner
  const { laws, runs, seed = 0, known, seen, maxFindings = Infinity } = group
  const [first] = laws
  const maxLength = group.maxLength ?? (first?.cost === 'quadratic' ? MAX_QUADRATIC_LENGTH : Infinity)
  const samples = group.samples ?? samplesFor(first?.needs ?? 'text', subject, { maxLength })
  const asked = withWatchers(laws, known, subject)
  const left = new Set(laws)
  const before = seen.distribution
  const kinds: Record<TextKind, number> = { ...EMPTY_DISTRIBUTION }
  let looked = 0
  const drawn = drawnSamples(samples, { seed, runs, path: group.path })
  while (looked < runs && left.size > 0 && !examiner.isOver() && !isEnough(seen, group)) {
    const batch = drawn(looked, BATCH)
    if (batch.length === 0) return
    const most = maxFindings - seen.findings.length
    const look = await examiner.look({ laws: asked, left, known, batch, kinds, most })
    if (look === null) return
    for (const { law, index, violation } of look.broken) {
      const path = pathAt(group.path, looked + index)
      const told = asked.slice(0, asked.indexOf(law)).filter((each) => !left.has(each))
      const failure = { law, sample: batch[index], violation, before: told, known, samples, seed, path }
      seen.findings.push(await smallestFinding(examiner, failure))
    }
    looked += look.texts
    seen.texts += look.texts
    seen.distribution = addDistributions(before, kinds)
    await group.onSeen?.(group.result)
  }
}

function isEnough({ findings }: Seen, { maxFindings = Infinity }: SearchOptions): boolean {
  return findings.length >= maxFindings
}

/** Samples of a seed in fast-check's order. Twice as many are drawn each time: a search that ends early draws few. */
function drawnSamples(
  samples: fc.Arbitrary<Sample>,
  { seed, runs, path }: { readonly seed: number; readonly runs: number; readonly path: string | undefined },
): (from: number, count: number) => readonly Sample[] {
  let start = 0
  let drawn: readonly Sample[] = []
  return (from, count) => {
    if (from + count > start + drawn.length && start + drawn.length < runs) {
      start = from
      const size = Math.min(runs - from, Math.max(count, from))
      drawn = fc.sample(samples, { seed, numRuns: size, path: pathAt(path, from) })
    }
    return drawn.slice(from - start, from - start + count)
  }
}

/** Where a sample is: `3`, or for the smaller ones of the third sample `3:1`. */
function pathAt(start = '0', index = 0): string {
  const steps = start.split(':')
  return [...steps.slice(0, -1), String(Number(steps.at(-1)) + index)].join(':')
}

function lawsFor(subject: Subject | RemoteSubject, { laws = LAWS, path }: SearchOptions): readonly Law[] {
  const own = laws.filter((law) => law.applies(subject))
  if (path === undefined || own.length < 2) return own
  throw new InputError('path', 'A path belongs to one law. Name it as well.')
}

/** Laws that can be checked on the same texts. */
export function groupsOf(laws: readonly Law[]): readonly (readonly Law[])[] {
  const groups = new Map<string, Law[]>()
  for (const law of laws) {
    const key = `${law.needs} ${law.cost}`
    groups.set(key, [...(groups.get(key) ?? []), law])
  }
  return [...groups.values()]
}

/** Timing a program is slow, and one text shows nearly as much as many. */
const TIMED_SHARE = 50

interface Group {
  readonly laws: readonly Law[]
  readonly runs: (all: number) => number
}

/** For a program, the law about work forms its own group where it is timed, with fewer texts. */
function timedApart(laws: readonly Law[], subject: Subject | RemoteSubject): readonly Group[] {
  const isTimed = (law: Law): boolean => !('answer' in subject) && law.id === 'linear-work' && !subject.countsWork
  const [timed, others] = [laws.filter(isTimed), laws.filter((law) => !isTimed(law))]
  return [
    ...(others.length === 0 ? [] : [{ laws: others, runs: (all: number) => all }]),
    ...(timed.length === 0 ? [] : [{ laws: timed, runs: (all: number) => Math.ceil(all / TIMED_SHARE) }]),
  ]
}

function rank(laws: readonly Law[], id: LawId): number {
  return laws.findIndex((law) => law.id === id)
}
