import { InputError } from '@callspec/core'
import fc from 'fast-check'

import { samplesFor } from './arbitraries/samples.ts'
import { addDistributions, EMPTY_DISTRIBUTION, kindOf } from './distribution.ts'
import type { Distribution, TextKind } from './distribution.ts'
import { findingOf } from './finding.ts'
import type { Finding } from './finding.ts'
import type { LawId } from './law-id.ts'
import type { Law, Violation } from './law.ts'
import { LAWS } from './laws/index.ts'
import { rememberAnswers } from './remember-answers.ts'
import type { RememberedAnswers } from './remember-answers.ts'
import { runLaw } from './run-law.ts'
import type { Sample } from './sample.ts'
import { shrinkSample } from './shrink.ts'
import type { Subject } from './subject.ts'
import { withoutStacks } from './without-stacks.ts'

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

/**
 * A violation, made as small as it gets; null if there is none. The search ends with the first.
 *
 * @throws InputError for a path with more than one law
 */
export function findViolation(subject: Subject, options: SearchOptions = {}): Finding | null {
  for (const group of groupsOf(lawsFor(subject, options))) {
    const [finding] = searchGroup(subject, group, { ...options, maxFindings: 1 }).findings
    if (finding !== undefined) return finding
  }
  return null
}

/**
 * Checks laws on generated texts. A law that was broken is not checked again, the others go on with the texts that follow.
 *
 * @throws InputError for a path with more than one law
 */
export function searchViolations(subject: Subject, options: SearchOptions = {}): SearchResult {
  const laws = lawsFor(subject, options)
  const results = groupsOf(laws).map((group) => searchGroup(subject, group, options))
  return {
    findings: results.flatMap(({ findings }) => findings).sort((a, b) => rank(laws, a.law) - rank(laws, b.law)),
    texts: results.reduce((sum, { texts }) => sum + texts, 0),
    distribution: results.map(({ distribution }) => distribution).reduce(addDistributions, EMPTY_DISTRIBUTION),
    seed: options.seed ?? 0,
  }
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

interface Group {
  readonly memory: RememberedAnswers
  readonly samples: fc.Arbitrary<Sample>
  readonly seed: number
}

interface GroupOptions extends SearchOptions {
  readonly maxFindings?: number
}

function searchGroup(subject: Subject, laws: readonly Law[], options: GroupOptions): SearchResult {
  const { seed = 0, runs = 1000, maxFindings = Infinity } = options
  const [first] = laws
  const isQuadratic = first?.cost === 'quadratic'
  const maxLength = options.maxLength ?? (isQuadratic ? MAX_QUADRATIC_LENGTH : Infinity)
  const samples = options.samples ?? samplesFor(first?.needs ?? 'text', subject, { maxLength })
  const group = { memory: rememberAnswers(subject), samples, seed }
  const kinds: Record<TextKind, number> = { ...EMPTY_DISTRIBUTION }
  const findings: Finding[] = []
  let left = laws
  let texts = 0
  let path = options.path
  while (left.length > 0 && texts < runs && findings.length < maxFindings) {
    const run = runUntilBroken(group, { laws: left, runs: runs - texts, path, kinds })
    texts += run.texts
    if (run.broken === null) break
    const { law } = run.broken
    findings.push(smallest(group, run.broken, run.path))
    left = left.filter(({ id }) => id !== law.id)
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

/** A law that was broken, and what it was broken with. */
interface Broken {
  readonly law: Law
  readonly sample: Sample
  readonly violation: Violation
}

/** Goes through texts until a law is broken. */
function runUntilBroken(
  { memory, samples, seed }: Group,
  { laws, runs, path, kinds }: Run,
): { readonly broken: Broken | null; readonly texts: number; readonly path: string } {
  const { subject } = memory
  let broken: Broken | null = null
  const property = fc.property(samples, (sample) => {
    memory.forget()
    const answer = subject.answer({ op: 'parse', text: sample.text })
    if (answer.op === 'parse') kinds[kindOf(sample.text, answer.outcome, subject.language)]++
    broken = firstBroken(laws, subject, sample)
    return broken === null
  })
  const start = path === undefined ? {} : { path }
  const details = withoutStacks(() => fc.check(property, { seed, numRuns: runs, endOnFailure: true, ...start }))
  const failedAt = details.counterexamplePath ?? ''
  if (details.failed && broken === null) throwMistake(property, { seed, path: failedAt })
  return { broken, texts: details.numRuns, path: failedAt }
}

/** A law that throws is a mistake of ours, and is not counted as anybody else's. Once more, for the stack. */
function throwMistake(property: fc.IProperty<[Sample]>, at: { readonly seed: number; readonly path: string }): never {
  throw fc.check(property, { ...at, numRuns: 1, endOnFailure: true }).errorInstance
}

function firstBroken(laws: readonly Law[], subject: Subject, sample: Sample): Broken | null {
  for (const law of laws) {
    const violation = runLaw(law, subject, sample)
    if (violation !== null) return { law, sample, violation }
  }
  return null
}

/** Where the texts behind a failure begin. */
function nextPath(path: string): string {
  const [at = '0'] = path.split(':')
  return String(Number(at) + 1)
}

/** The failure made small: first by what the sample was made of, then by its characters. */
function smallest(group: Group, broken: Broken, path: string): Finding {
  const {
    memory: { subject },
    seed,
  } = group
  const { law } = broken
  const { sample, violation } = isRepeatable(law, subject) ? smallerOf(group, broken, path) : broken
  return findingOf(law, violation, { subject: subject.name, sample, seed, path })
}

/** A time is different at every try, so nothing can be concluded from a smaller text. */
function isRepeatable({ id }: Law, { countsWork }: Subject): boolean {
  return id !== 'linear-work' || countsWork
}

function smallerOf({ memory, samples, seed }: Group, broken: Broken, path: string): Broken {
  const { law } = broken
  const check = (sample: Sample): Violation | null => {
    memory.forget()
    return runLaw(law, memory.subject, sample)
  }
  const fails = (sample: Sample): boolean => check(sample)?.breach === broken.violation.breach
  const property = fc.property(samples, (sample) => !fails(sample))
  const sample = withoutStacks(() => {
    const [shrunk = broken.sample] = fc.check(property, { seed, path, numRuns: 1 }).counterexample ?? []
    return shrinkSample(shrunk, fails)
  })
  // A parser that answers differently at each try keeps its first violation.
  return { law, sample, violation: check(sample) ?? broken.violation }
}
