import { InputError } from '@callspec/core'
import fc from 'fast-check'

import { samplesFor } from './arbitraries/samples.ts'
import { addDistributions, EMPTY_DISTRIBUTION, kindOf } from './distribution.ts'
import type { Distribution, TextKind } from './distribution.ts'
import { findingOf } from './finding.ts'
import type { Finding } from './finding.ts'
import type { Law, LawId, Violation } from './law.ts'
import { LAWS } from './laws/index.ts'
import { runLaw } from './run-law.ts'
import type { Sample } from './sample.ts'
import { shrinkSample } from './shrink.ts'
import type { Subject } from './subject.ts'

/** How violations are searched for. */
export interface SearchOptions {
  /** Default: all that apply. */
  readonly laws?: readonly Law[]
  /** Texts per group of laws that need the same kind of text. Default 1000. */
  readonly runs?: number
  /** Default 0. The same seed gives the same texts. */
  readonly seed?: number
  /** Of a finding: begins with its sample. Needs one law. */
  readonly path?: string
  /** Longer texts are cut. Default: 200 for laws whose cost is quadratic, else no limit. */
  readonly maxLength?: number
  /** Texts of another kind, such as those of a corpus, in place of the generated ones. */
  readonly samples?: fc.Arbitrary<Sample>
}

/** What a search has seen. */
export interface SearchResult {
  /** At most one per law: the first, made small. */
  readonly findings: readonly Finding[]
  readonly texts: number
  /** What the texts were, judged by the parser's own answers. */
  readonly distribution: Distribution
  readonly seed: number
}

const MAX_QUADRATIC_LENGTH = 200

/** The first violation, made as small as it gets; null if there is none. */
export function findViolation(subject: Subject, options: SearchOptions = {}): Finding | null {
  return searchViolations(subject, options).findings[0] ?? null
}

/**
 * Checks laws on generated texts. A law that was broken is not checked again, the others go on with the texts that follow.
 *
 * @throws InputError for a path with more than one law
 */
export function searchViolations(subject: Subject, options: SearchOptions = {}): SearchResult {
  const laws = (options.laws ?? LAWS).filter((law) => law.applies(subject))
  if (options.path !== undefined && laws.length > 1) {
    throw new InputError('path', 'A path belongs to one law. Name it as well.')
  }
  const results = groupsOf(laws).map((group) => searchGroup(subject, group, options))
  return {
    findings: results.flatMap(({ findings }) => findings).sort((a, b) => rank(laws, a.law) - rank(laws, b.law)),
    texts: results.reduce((sum, { texts }) => sum + texts, 0),
    distribution: results.map(({ distribution }) => distribution).reduce(addDistributions, EMPTY_DISTRIBUTION),
    seed: options.seed ?? 0,
  }
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

interface Group {
  readonly subject: Subject
  readonly samples: fc.Arbitrary<Sample>
  readonly seed: number
}

function searchGroup(subject: Subject, laws: readonly Law[], options: SearchOptions): SearchResult {
  const { seed = 0, runs = 1000 } = options
  const [first] = laws
  const isQuadratic = first?.cost === 'quadratic'
  const maxLength = options.maxLength ?? (isQuadratic ? MAX_QUADRATIC_LENGTH : Infinity)
  const samples = options.samples ?? samplesFor(first?.needs ?? 'text', subject, { maxLength })
  const remembering = rememberParse(subject)
  const group = { subject: remembering, samples, seed }
  const kinds: Record<TextKind, number> = { ...EMPTY_DISTRIBUTION }
  const findings: Finding[] = []
  let left = laws
  let texts = 0
  let path = options.path
  while (left.length > 0 && texts < runs) {
    const run = runUntilBroken(group, { laws: left, runs: runs - texts, path, kinds })
    texts += run.texts
    if (run.broken === null) break
    findings.push(smallest(group, run.broken, run.path))
    const { id } = run.broken
    left = left.filter((law) => law.id !== id)
    path = nextPath(run.path)
  }
  return { findings, texts, distribution: kinds, seed }
}

interface Run {
  readonly laws: readonly Law[]
  readonly runs: number
  readonly path: string | undefined
  readonly kinds: Record<TextKind, number>
}

/** Goes through texts until a law is broken. */
function runUntilBroken(
  { subject, samples, seed }: Group,
  { laws, runs, path, kinds }: Run,
): { readonly broken: Law | null; readonly texts: number; readonly path: string } {
  let broken: Law | null = null
  const property = fc.property(samples, (sample) => {
    const answer = subject.answer({ op: 'parse', text: sample.text })
    if (answer.op === 'parse') kinds[kindOf(sample.text, answer.outcome, subject.language)]++
    broken = laws.find((law) => runLaw(law, subject, sample) !== null) ?? null
    return broken === null
  })
  const details = fc.check(property, {
    seed,
    numRuns: runs,
    endOnFailure: true,
    ...(path === undefined ? {} : { path }),
  })
  // A law that throws is a mistake of ours, and is not counted as anybody else's.
  if (details.failed && broken === null) throw details.errorInstance
  return { broken, texts: details.numRuns, path: details.counterexamplePath ?? '' }
}

/** Where the texts behind a failure begin. */
function nextPath(path: string): string {
  const [at = '0'] = path.split(':')
  return String(Number(at) + 1)
}

/** The failure made small: first by what the sample was made of, then by its characters. */
function smallest({ subject, samples, seed }: Group, law: Law, path: string): Finding {
  const details = fc.check(
    fc.property(samples, (sample) => runLaw(law, subject, sample) === null),
    { seed, path, numRuns: 1 },
  )
  const [shrunk] = details.counterexample ?? []
  if (shrunk === undefined) throw new Error(`${law.id} was broken at ${seed}, ${path}, and is no longer.`)
  const breach = runLaw(law, subject, shrunk)?.breach
  const sample = shrinkSample(shrunk, (smaller) => runLaw(law, subject, smaller)?.breach === breach)
  const violation: Violation | null = runLaw(law, subject, sample)
  if (violation === null) throw new Error(`${law.id} was broken at ${seed}, ${path}, and is no longer.`)
  return findingOf(law, violation, { subject: subject.name, sample, seed, path })
}

/** The subject with the last parse kept, because many laws begin with the same question. */
function rememberParse(subject: Subject): Subject {
  let text: string | null = null
  let kept = subject.answer({ op: 'parse', text: '' })
  return {
    ...subject,
    answer: (question) => {
      if (question.op !== 'parse' || question.thoughtInContent === true || question.again === true) {
        return subject.answer(question)
      }
      if (question.text !== text) {
        kept = subject.answer(question)
        text = question.text
      }
      return kept
    },
  }
}
