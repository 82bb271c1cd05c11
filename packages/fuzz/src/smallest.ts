import fc from 'fast-check'

import type { Examiner } from './examine.ts'
import { findingOf } from './finding.ts'
import type { Finding } from './finding.ts'
import { isKnown } from './known-causes.ts'
import type { KnownCause } from './known-causes.ts'
import type { Law, Violation } from './law.ts'
import type { Sample } from './sample.ts'
import { shrinkSampleAsync } from './shrink.ts'

/** A law that was broken, and where. */
interface Failure {
  readonly law: Law
  readonly sample: Sample | undefined
  /** As it was first seen. */
  readonly violation: Violation
  /** Reported laws before this one. */
  readonly before: readonly Law[]
  readonly known: readonly KnownCause[]
  readonly samples: fc.Arbitrary<Sample>
  readonly seed: number
  readonly path: string
}

/** Tries for a program, which answers slower than a function; and for one that needs its whole time limit with every try. */
const REMOTE_TRIES = 400
const HUNG_TRIES = 12

/** The failure made small: first by what the sample was made of, then by its characters. */
export async function smallestFinding(examiner: Examiner, failure: Failure): Promise<Finding> {
  const { law, violation: first, seed, path } = failure
  const { subject, isRemote } = examiner
  const drawn = failure.sample ?? drawnAt(failure)
  const finding = (sample: Sample, violation: Violation): Finding =>
    findingOf(law, violation, { subject: subject.name, sample, seed, path })
  // A time is different at every try, so nothing can be concluded from a smaller text.
  if (!isRemote && law.id === 'linear-work' && !subject.countsWork) return finding(drawn, first)
  const breachOf = async (sample: Sample): Promise<string | null> => {
    const breach = (await examiner.check(law, sample))?.breach ?? null
    // A smaller text that shows a reported cause says nothing about this law.
    return breach !== null && (await isExplained(examiner, failure, sample)) ? null : breach
  }
  // A program may answer otherwise when it is asked again.
  const breach = isRemote ? await breachOf(drawn) : first.breach
  const fails = async (smaller: Sample): Promise<boolean> => !examiner.isOver() && (await breachOf(smaller)) === breach
  const sample = breach === null ? drawn : await shrunk(failure, { drawn, breach, fails, isRemote })
  const again = await examiner.check(law, sample)
  const isKept = again !== null || !isRemote || examiner.isOver()
  return finding(sample, again ?? (isKept ? first : { ...first, breach: `${first.breach}-once` }))
}

function drawnAt({ samples, seed, path }: Failure): Sample {
  const [drawn] = fc.sample(samples, { seed, path, numRuns: 1 })
  if (drawn === undefined) throw new Error(`there is no sample at ${seed}, ${path}`)
  return drawn
}

interface Shrinking {
  readonly drawn: Sample
  readonly breach: string
  readonly fails: (smaller: Sample) => Promise<boolean>
  readonly isRemote: boolean
}

async function shrunk(
  { samples, seed, path }: Failure,
  { drawn, breach, fails, isRemote }: Shrinking,
): Promise<Sample> {
  const isHung = isRemote && breach === 'hung'
  const property = fc.asyncProperty(samples, async (sample) => !(await fails(sample)))
  const byParts = isHung ? null : await fc.check(property, { seed, path, numRuns: 1 })
  const start = byParts?.counterexample?.[0] ?? drawn
  return shrinkSampleAsync(start, fails, isHung ? HUNG_TRIES : isRemote ? REMOTE_TRIES : undefined)
}

/** Whether a law before this one was reported, and the sample shows its cause again. */
async function isExplained(examiner: Examiner, { before, known }: Failure, sample: Sample): Promise<boolean> {
  for (const law of before) {
    // A program that hung would take its whole time limit again.
    if (known.every((cause) => cause.law !== law.id || (examiner.isRemote && cause.breach === 'hung'))) continue
    const violation = await examiner.check(law, sample)
    if (violation !== null && isKnown(known, law.id, violation)) return true
  }
  return false
}
