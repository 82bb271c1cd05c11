import fc from 'fast-check'

import { samplesFor } from './arbitraries/samples.ts'
import { EMPTY_DISTRIBUTION, kindOf } from './distribution.ts'
import type { TextKind } from './distribution.ts'
import { findingOf } from './finding.ts'
import type { Finding } from './finding.ts'
import { isKnown, withWatchers } from './known-causes.ts'
import type { KnownCause } from './known-causes.ts'
import type { Law, Violation } from './law.ts'
import { rememberAnswers } from './remember-answers.ts'
import type { RememberedAnswers } from './remember-answers.ts'
import { runLaw } from './run-law.ts'
import type { Sample } from './sample.ts'
import type { Search, SearchOptions } from './search-options.ts'
import { shrinkSample } from './shrink.ts'
import type { Subject } from './subject.ts'
import { withoutStacks } from './without-stacks.ts'

const MAX_QUADRATIC_LENGTH = 200

/** A search that may end early. */
export interface GroupOptions extends SearchOptions {
  readonly maxFindings?: number
}

/** Begins to check laws that need the same kind of text, on the same texts. */
export function beginGroup(subject: Subject, laws: readonly Law[], options: GroupOptions): Search {
  const { seed = 0, runs = 1000, maxFindings = Infinity } = options
  const [first] = laws
  const isQuadratic = first?.cost === 'quadratic'
  const maxLength = options.maxLength ?? (isQuadratic ? MAX_QUADRATIC_LENGTH : Infinity)
  const samples = options.samples ?? samplesFor(first?.needs ?? 'text', subject, { maxLength })
  const known = [...(options.known ?? [])]
  const asked = withWatchers(laws, known, subject)
  const { isOver = never } = options
  const group = { memory: rememberAnswers(subject), laws: asked, known, samples, seed, isOver }
  const kinds: Record<TextKind, number> = { ...EMPTY_DISTRIBUTION }
  const findings: Finding[] = []
  let left = laws
  let texts = 0
  let path = options.path
  const step = (isDue: () => boolean = never): boolean => {
    if (isOver() || texts >= runs || left.length === 0 || findings.length >= maxFindings) return false
    const run = runUntilBroken(group, { left, runs: runs - texts, path, kinds, isDue })
    texts += run.texts
    if (run.broken === null) {
      path = nextPath(path, run.texts)
      return run.isEnded
    }
    const { law } = run.broken
    const finding = smallest(group, run.broken, run.path)
    findings.push(finding)
    group.known.push(finding)
    left = left.filter(({ id }) => id !== law.id)
    path = nextPath(run.path)
    return true
  }
  return { step, result: () => ({ findings, texts, distribution: { ...kinds }, seed }) }
}

function never(): boolean {
  return false
}

interface Group {
  readonly memory: RememberedAnswers
  /** All that are asked, in their order. */
  readonly laws: readonly Law[]
  /** What was told so far. */
  readonly known: KnownCause[]
  readonly isOver: () => boolean
  readonly samples: fc.Arbitrary<Sample>
  readonly seed: number
}

interface Run {
  /** Those that are searched; the others only say that a text shows what was told. */
  readonly left: readonly Law[]
  readonly runs: number
  readonly path: string | undefined
  readonly kinds: Record<TextKind, number>
  /** Whether to end for now. */
  readonly isDue: () => boolean
}

/** A law that was broken, and what it was broken with. */
interface Broken {
  readonly law: Law
  readonly sample: Sample
  readonly violation: Violation
}

/** What was looked at until a law was broken, there was nothing left, or the run was ended. */
interface Ran {
  readonly broken: Broken | null
  readonly texts: number
  readonly path: string
  readonly isEnded: boolean
}

/** Goes through texts until a law is broken; through one at least. */
function runUntilBroken(group: Group, { left, runs, path, kinds, isDue }: Run): Ran {
  const { memory, samples, seed, isOver } = group
  const { subject } = memory
  let broken: Broken | null = null
  let isEnded = false
  let texts = 0
  const property = fc.property(samples, (sample) => {
    isEnded = texts > 0 && (isOver() || isDue())
    if (isEnded) return false
    texts++
    memory.forget()
    const answer = subject.answer({ op: 'parse', text: sample.text })
    if (answer.op === 'parse') kinds[kindOf(sample.text, answer.outcome, subject.language)]++
    broken = firstBroken(group, left, sample)
    return broken === null
  })
  const start = path === undefined ? {} : { path }
  const details = withoutStacks(() => fc.check(property, { seed, numRuns: runs, endOnFailure: true, ...start }))
  const failedAt = details.counterexamplePath ?? ''
  if (details.failed && broken === null && !isEnded) throwMistake(property, { seed, path: failedAt })
  return { broken, texts, path: failedAt, isEnded }
}

/** A law that throws is a mistake of ours, and is not counted as anybody else's. Once more, for the stack. */
function throwMistake(property: fc.IProperty<[Sample]>, at: { readonly seed: number; readonly path: string }): never {
  throw fc.check(property, { ...at, numRuns: 1, endOnFailure: true }).errorInstance
}

/** The first law that a sample breaks; null where that one's cause was told. */
function firstBroken({ laws, known, memory, isOver }: Group, left: readonly Law[], sample: Sample): Broken | null {
  for (const law of laws) {
    if (isOver()) return null
    const violation = runLaw(law, memory.subject, sample)
    if (violation === null) continue
    if (isKnown(known, law.id, violation)) return null
    if (left.includes(law)) return { law, sample, violation }
  }
  return null
}

/** Whether a law that was told stands before this one, and the sample shows its cause again. */
function isExplained({ laws, known, memory }: Group, law: Law, sample: Sample): boolean {
  return laws.slice(0, laws.indexOf(law)).some((before) => {
    if (!known.some((cause) => cause.law === before.id)) return false
    const violation = runLaw(before, memory.subject, sample)
    return violation !== null && isKnown(known, before.id, violation)
  })
}

/** Where the texts behind a number of them begin. */
function nextPath(path = '0', texts = 1): string {
  const [at = '0'] = path.split(':')
  return String(Number(at) + texts)
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

function smallerOf(group: Group, broken: Broken, path: string): Broken {
  const { memory, samples, seed } = group
  const { law } = broken
  const check = (sample: Sample): Violation | null => {
    memory.forget()
    return runLaw(law, memory.subject, sample)
  }
  // A smaller text that shows what was told says nothing about this law.
  const fails = (sample: Sample): boolean =>
    !group.isOver() && check(sample)?.breach === broken.violation.breach && !isExplained(group, law, sample)
  const property = fc.property(samples, (sample) => !fails(sample))
  const sample = withoutStacks(() => {
    const [shrunk = broken.sample] = fc.check(property, { seed, path, numRuns: 1 }).counterexample ?? []
    return shrinkSample(shrunk, fails)
  })
  // A parser that answers differently at each try keeps its first violation.
  return { law, sample, violation: check(sample) ?? broken.violation }
}
