import fc from 'fast-check'

import { samplesFor } from './arbitraries/samples.ts'
import { addDistributions, EMPTY_DISTRIBUTION, kindOf } from './distribution.ts'
import type { Distribution, TextKind } from './distribution.ts'
import { findingOf } from './finding.ts'
import type { Finding } from './finding.ts'
import type { Law, Violation } from './law.ts'
import { LAWS } from './laws/index.ts'
import type { Answer, Question } from './question.ts'
import { judgeAnswers, runLawAsync } from './run-law.ts'
import type { Sample } from './sample.ts'
import { groupsOf } from './search.ts'
import type { SearchOptions, SearchResult } from './search.ts'
import { shrinkSampleAsync } from './shrink-async.ts'
import type { RemoteSubject } from './subject.ts'

const MAX_QUADRATIC_LENGTH = 200

/** So many samples are asked about in one batch: enough to hide the way to a program and back. */
const BATCH = 32

/**
 * `searchViolations` for a parser elsewhere. Questions about several samples and laws go in one batch; which texts are made,
 * and the path of a finding, are the same as there.
 */
export async function searchViolationsAsync(
  subject: RemoteSubject,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const laws = (options.laws ?? LAWS).filter((law) => law.applies(subject))
  const findings: Finding[] = []
  let distribution: Distribution = EMPTY_DISTRIBUTION
  let texts = 0
  for (const group of groupsOf(laws).flatMap(timedApart(subject))) {
    const result = await searchGroup(subject, group.laws, { ...options, runs: group.runs(options.runs ?? 1000) })
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
  options: SearchOptions,
): Promise<SearchResult> {
  const { seed = 0, runs = 1000 } = options
  const [first] = laws
  const maxLength = options.maxLength ?? (first?.cost === 'quadratic' ? MAX_QUADRATIC_LENGTH : Infinity)
  const samples = options.samples ?? samplesFor(first?.needs ?? 'text', subject, { maxLength })
  const drawn = drawnSamples(samples, { seed, runs, path: options.path })
  const kinds: Record<TextKind, number> = { ...EMPTY_DISTRIBUTION }
  const findings: Finding[] = []
  let left = laws
  let texts = 0
  for (let from = 0; from < drawn.length && left.length > 0; from += BATCH) {
    const batch = drawn.slice(from, from + BATCH)
    texts += batch.length
    const broken = await firstBroken(subject, { laws: left, batch, kinds })
    for (const [law, { index, violation }] of broken) {
      const path = options.path ?? String(from + index)
      findings.push(await smallest(subject, { law, samples, seed, path, violation }))
    }
    left = left.filter((law) => !broken.has(law))
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
  readonly laws: readonly Law[]
  readonly batch: readonly Sample[]
  readonly kinds: Record<TextKind, number>
}

/** Asks everything about a batch at once. Gives the first sample of the batch with which each law was broken. */
async function firstBroken(subject: RemoteSubject, { laws, batch, kinds }: Batch): Promise<ReadonlyMap<Law, Broken>> {
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
    for (const [place, asking] of perLaw.entries()) {
      const given: readonly Answer[] = answers.slice(at, at + asking.length)
      at += asking.length
      const law = laws[place]
      if (law === undefined || asking.length === 0 || broken.has(law)) continue
      const violation = judgeAnswers(law, { subject, sample, questions: asking, answers: given })
      if (violation !== null) broken.set(law, { index, violation })
    }
  }
  return broken
}

/** The first sample of a batch with which a law was broken. */
interface Broken {
  readonly index: number
  readonly violation: Violation
}

interface Failure {
  /** As it was first seen. */
  readonly violation: Violation
  readonly law: Law
  readonly samples: fc.Arbitrary<Sample>
  readonly seed: number
  readonly path: string
}

/** The failure made small: first by what the sample was made of, then by its characters. */
async function smallest(
  subject: RemoteSubject,
  { law, samples, seed, path, violation: first }: Failure,
): Promise<Finding> {
  const breachOf = async (sample: Sample): Promise<string | null> =>
    (await runLawAsync(law, subject, sample))?.breach ?? null
  const [drawn] = fc.sample(samples, { seed, path, numRuns: 1 })
  if (drawn === undefined) throw new Error(`there is no sample at ${seed}, ${path}`)
  const breach = await breachOf(drawn)
  // A program that hangs costs its whole time limit with every try.
  const isDear = breach === 'hung'
  const shrunk = isDear ? drawn : await shrunkByParts(samples, { seed, path, breachOf, drawn })
  const sample =
    breach === null
      ? drawn
      : await shrinkSampleAsync(shrunk, async (smaller) => (await breachOf(smaller)) === breach, isDear ? 12 : 400)
  // A program that answers otherwise when it is asked again broke the law all the same.
  const violation = (await runLawAsync(law, subject, sample)) ?? { ...first, breach: `${first.breach}-once` }
  return findingOf(law, violation, { subject: subject.name, sample, seed, path })
}

interface Shrinking {
  readonly seed: number
  readonly path: string
  readonly breachOf: (sample: Sample) => Promise<string | null>
  readonly drawn: Sample
}

async function shrunkByParts(
  samples: fc.Arbitrary<Sample>,
  { seed, path, breachOf, drawn }: Shrinking,
): Promise<Sample> {
  const property = fc.asyncProperty(samples, async (sample) => (await breachOf(sample)) === null)
  const details = await fc.check(property, { seed, path, numRuns: 1 })
  return details.counterexample?.[0] ?? drawn
}
