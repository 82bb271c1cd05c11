import fc from 'fast-check'

import { InputError } from '@callspec/core'

import { samplesFor } from './arbitraries/samples.ts'
import type { Distribution, TextKind, SearchOptions, SearchResult } from './search-options.ts'
import { addDistributions, EMPTY_DISTRIBUTION } from './search-options.ts'
import { examinerOf } from './examine.ts'
import type { Examiner } from './examine.ts'
import type { Finding, KnownCause } from './finding.ts'
import type { About, LawId, Law, RemoteSubject, Subject } from './law.ts'
import { LAWS } from './laws/index.ts'
import type { Sample } from './sample.ts'
import { smallestFinding } from './shrink.ts'

const MAX_QUADRATIC_LENGTH = 200

/** Samples per batch: enough to hide the round trip to a program, few enough to end soon. */
const BATCH_SIZE = 32

/**
 * Checks laws on generated texts, batch by batch, and returns each law's first violation, made as small as possible. A broken law
 * is not checked again. The others continue, but skip texts that show a reported cause again: one cause breaks many laws and would
 * hide each law's own defect. A program receives one request per batch. It sees the same texts as a parser in this process.
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
  const seen: SeenTexts = { findings: [], texts: 0, distribution: EMPTY_DISTRIBUTION }
  const result = (): SearchResult => ({
    ...seen,
    findings: seen.findings.toSorted((a, b) => lawRank(laws, a.law) - lawRank(laws, b.law)),
    seed: options.seed ?? 0,
  })
  for (const group of lawGroups(laws).flatMap((each) => timedApart(each, subject))) {
    if (examiner.isOver() || isEnough(seen, options)) break
    await searchGroup(examiner, { ...options, ...group, runs: group.runs(options.runs ?? 1000), known, seen, result })
  }
  return result()
}

/**
 * The first violation, made as small as possible; null if none was found.
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

interface SeenTexts {
  readonly findings: Finding[]
  texts: number
  distribution: Distribution
}

interface GroupSearch extends SearchOptions {
  readonly laws: readonly Law[]
  readonly runs: number
  /** Reported causes. New ones are added here. */
  readonly known: KnownCause[]
  readonly seen: SeenTexts
  readonly result: () => SearchResult
}

/** Checks laws that need the same kind of text, all on the same texts. */
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
    const batch = drawn(looked, BATCH_SIZE)
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

function isEnough({ findings }: SeenTexts, { maxFindings = Infinity }: SearchOptions): boolean {
  return findings.length >= maxFindings
}

/** Samples of a seed in fast-check's order. Their number doubles each time, so a search that ends early draws few. */
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

/** The path of a sample: `3`, or `3:1` for a smaller one made of the third. */
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
export function lawGroups(laws: readonly Law[]): readonly (readonly Law[])[] {
  const groups = new Map<string, Law[]>()
  for (const law of laws) {
    const key = `${law.needs} ${law.cost}`
    groups.set(key, [...(groups.get(key) ?? []), law])
  }
  return [...groups.values()]
}

/** One in so many runs is timed: timing a program is slow, and one text shows nearly as much as many. */
const TIMED_SHARE = 50

interface LawGroup {
  readonly laws: readonly Law[]
  readonly runs: (all: number) => number
}

/** If work is timed, `linear-work` is a separate group with fewer texts. */
function timedApart(laws: readonly Law[], subject: Subject | RemoteSubject): readonly LawGroup[] {
  const isTimed = (law: Law): boolean => !('answer' in subject) && law.id === 'linear-work' && !subject.countsWork
  const [timed, others] = [laws.filter(isTimed), laws.filter((law) => !isTimed(law))]
  return [
    ...(others.length === 0 ? [] : [{ laws: others, runs: (all: number) => all }]),
    ...(timed.length === 0 ? [] : [{ laws: timed, runs: (all: number) => Math.ceil(all / TIMED_SHARE) }]),
  ]
}

function lawRank(laws: readonly Law[], id: LawId): number {
  return laws.findIndex((law) => law.id === id)
}

/**
 * The laws to check on the samples of a group: first those whose causes were reported in other groups, if they apply to such samples
 * and cost no more, then the laws that are searched.
 */
export function withWatchers(laws: readonly Law[], known: readonly KnownCause[], subject: About): readonly Law[] {
  const [first] = laws
  if (first === undefined) return laws
  const reported = new Set(known.filter(({ breach }) => breach !== SLOW).map(({ law }) => law))
  const watchers = LAWS.filter(
    (law) =>
      reported.has(law.id) &&
      !laws.includes(law) &&
      law.applies(subject) &&
      (law.needs === 'text' || law.needs === first.needs) &&
      (law.cost === 'linear' || law.cost === first.cost),
  )
  return [...watchers, ...laws]
}

/** Not tried again: it takes the whole time limit at every question. */
const SLOW = 'hung'
