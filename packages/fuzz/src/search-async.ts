import fc from 'fast-check'

import { samplesFor } from './arbitraries/samples.ts'
import { addDistributions, EMPTY_DISTRIBUTION, kindOf } from './distribution.ts'
import type { Distribution, TextKind } from './distribution.ts'
import type { Finding } from './finding.ts'
import { askOnce, unlessEnded } from './ask-once.ts'
import { isKnown, withWatchers } from './known-causes.ts'
import type { KnownCause } from './known-causes.ts'
import type { Law, Violation } from './law.ts'
import { LAWS } from './laws/index.ts'
import type { Answer, Question } from './question.ts'
import { judgeAnswers } from './run-law.ts'
import type { Sample } from './sample.ts'
import { groupsOf } from './search.ts'
import type { SearchOptions, SearchResult } from './search-options.ts'
import { smallestAsync } from './smallest-async.ts'
import type { RemoteSubject } from './subject.ts'

const MAX_QUADRATIC_LENGTH = 200

/** So many samples are asked about in one batch: enough to hide the way to a program and back. */
const BATCH = 32

/**
 * `searchViolations` for a parser elsewhere. Questions about several samples and laws go in one batch; which texts are made,
 * and the path of a finding, are the same as there.
 */
export async function searchViolationsAsync(given: RemoteSubject, options: SearchOptions = {}): Promise<SearchResult> {
  const subject = askOnce(given, options.signal)
  const known: KnownCause[] = [...(options.known ?? [])]
  const laws = (options.laws ?? LAWS).filter((law) => law.applies(subject))
  const findings: Finding[] = []
  let distribution: Distribution = EMPTY_DISTRIBUTION
  let texts = 0
  for (const group of groupsOf(laws).flatMap(timedApart(subject))) {
    const runs = group.runs(options.runs ?? 1000)
    const result = await searchGroup(subject, group.laws, { ...options, runs, known })
    findings.push(...result.findings)
    texts += result.texts
    distribution = addDistributions(distribution, result.distribution)
  }
  return { findings, texts, distribution, seed: options.seed ?? 0 }
}

interface Group {
  readonly laws: readonly Law[]
  readonly runs: (asked: number) => number
}

/** What is timed takes a program long, and one text says nearly as much as many. */
const TIMED_SHARE = 50

/** The law about work in a group of its own where it is timed: it gets few texts. */
function timedApart({ countsWork }: RemoteSubject): (laws: readonly Law[]) => readonly Group[] {
  return (laws) => {
    const isTimed = (law: Law): boolean => law.id === 'linear-work' && !countsWork
    const [timed, others] = [laws.filter(isTimed), laws.filter((law) => !isTimed(law))]
    return [
      ...(others.length === 0 ? [] : [{ laws: others, runs: (asked: number) => asked }]),
      ...(timed.length === 0 ? [] : [{ laws: timed, runs: (asked: number) => Math.ceil(asked / TIMED_SHARE) }]),
    ]
  }
}

async function searchGroup(
  subject: RemoteSubject,
  laws: readonly Law[],
  options: SearchOptions & { readonly known: KnownCause[] },
): Promise<SearchResult> {
  const { seed = 0, runs = 1000, known } = options
  const [first] = laws
  const maxLength = options.maxLength ?? (first?.cost === 'quadratic' ? MAX_QUADRATIC_LENGTH : Infinity)
  const samples = options.samples ?? samplesFor(first?.needs ?? 'text', subject, { maxLength })
  const drawn = drawnSamples(samples, { seed, runs, path: options.path })
  const kinds: Record<TextKind, number> = { ...EMPTY_DISTRIBUTION }
  const findings: Finding[] = []
  const left = new Set(laws)
  const isOver = (): boolean => options.signal?.aborted === true
  const asked = withWatchers(laws, known, subject)
  let texts = 0
  for (let from = 0; from < drawn.length && left.size > 0; from += BATCH) {
    const batch = drawn.slice(from, from + BATCH)
    const broken = await unlessEnded(firstBroken(subject, { laws: asked, left, known, batch, kinds }))
    if (broken === null) break
    texts += batch.length
    for (const [law, { index, violation }] of broken) {
      const path = options.path ?? String(from + index)
      findings.push(
        await smallestAsync(subject, {
          law,
          before: toldBefore(law, asked, left),
          known,
          samples,
          seed,
          path,
          violation,
          isOver,
        }),
      )
    }
  }
  return { findings, texts, distribution: kinds, seed }
}

/** The samples that fast-check makes of a seed, in its order. */
function drawnSamples(
  samples: fc.Arbitrary<Sample>,
  { seed, runs, path }: { readonly seed: number; readonly runs: number; readonly path: string | undefined },
): readonly Sample[] {
  return fc.sample(samples, { seed, numRuns: runs, ...(path === undefined ? {} : { path }) })
}

interface Batch {
  /** All that are asked, in their order. */
  readonly laws: readonly Law[]
  /** Those that are searched; one that is broken is none of them any more. */
  readonly left: Set<Law>
  /** What was told so far; what is found here is added. */
  readonly known: KnownCause[]
  readonly batch: readonly Sample[]
  readonly kinds: Record<TextKind, number>
}

/**
 * Asks everything about a batch at once. Gives the first sample of the batch with which each law was broken, and no other law
 * before it, nor one whose cause was told.
 */
async function firstBroken(
  subject: RemoteSubject,
  { laws, left, known, batch, kinds }: Batch,
): Promise<ReadonlyMap<Law, Broken>> {
  const asked = batch.map((sample) => ({ sample, perLaw: laws.map((law) => law.ask(sample, subject)) }))
  const questions = asked.flatMap(({ sample, perLaw }): Question[] => [
    { op: 'parse', text: sample.text },
    ...perLaw.flat(),
  ])
  const answers = await subject.answerAll(questions)
  const broken = new Map<Law, Broken>()
  let at = 0
  for (const [index, { sample, perLaw }] of asked.entries()) {
    const parsed = answers[at]
    at += 1
    if (parsed?.op === 'parse') kinds[kindOf(sample.text, parsed.outcome, subject.language)]++
    let isExplained = false
    for (const [place, asking] of perLaw.entries()) {
      const given: readonly Answer[] = answers.slice(at, at + asking.length)
      at += asking.length
      const law = laws[place]
      if (law === undefined || asking.length === 0 || isExplained) continue
      const violation = judgeAnswers(law, { subject, sample, questions: asking, answers: given })
      if (violation === null) continue
      if (isKnown(known, law.id, violation)) isExplained = true
      if (isExplained || !left.delete(law)) continue
      isExplained = true
      broken.set(law, { index, violation })
      known.push({ law: law.id, breach: violation.breach })
    }
  }
  return broken
}

/** The first sample of a batch with which a law was broken. */
interface Broken {
  readonly index: number
  readonly violation: Violation
}

/** The laws before one that were told, or watch for what was. */
function toldBefore(law: Law, asked: readonly Law[], left: ReadonlySet<Law>): readonly Law[] {
  return asked.slice(0, asked.indexOf(law)).filter((before) => !left.has(before))
}
