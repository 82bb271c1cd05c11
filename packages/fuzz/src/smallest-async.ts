import fc from 'fast-check'

import { unlessEnded } from './ask-once.ts'
import { findingOf } from './finding.ts'
import type { Finding } from './finding.ts'
import { isKnown } from './known-causes.ts'
import type { KnownCause } from './known-causes.ts'
import type { Law, Violation } from './law.ts'
import { runLawAsync } from './run-law.ts'
import type { Sample } from './sample.ts'
import { shrinkSampleAsync } from './shrink-async.ts'
import type { RemoteSubject } from './subject.ts'

/** A law that was broken, and where. */
export interface Failure {
  /** As it was first seen. */
  readonly violation: Violation
  readonly law: Law
  /** Laws before it that were told. */
  readonly before: readonly Law[]
  readonly known: readonly KnownCause[]
  readonly samples: fc.Arbitrary<Sample>
  readonly seed: number
  readonly path: string
  /** Whether the search was ended. */
  readonly isOver: () => boolean
}

/** The failure made small: first by what the sample was made of, then by its characters. */
export async function smallestAsync(subject: RemoteSubject, failure: Failure): Promise<Finding> {
  const { law, samples, seed, path, violation: first, isOver } = failure
  const violationOf = (sample: Sample): Promise<Violation | null> => unlessEnded(runLawAsync(law, subject, sample))
  const breachOf = async (sample: Sample): Promise<string | null> => {
    const breach = (await violationOf(sample))?.breach ?? null
    // A smaller text that shows what was told says nothing about this law.
    return breach !== null && (await isExplained(subject, failure, sample)) ? null : breach
  }
  const [drawn] = fc.sample(samples, { seed, path, numRuns: 1 })
  if (drawn === undefined) throw new Error(`there is no sample at ${seed}, ${path}`)
  const breach = await breachOf(drawn)
  // A program that hangs costs its whole time limit with every try.
  const isDear = breach === 'hung'
  const shrunk = isDear ? drawn : await shrunkByParts(samples, { seed, path, breachOf, drawn })
  const sample =
    breach === null
      ? drawn
      : await shrinkSampleAsync(shrunk, async (smaller) => (await breachOf(smaller)) === breach, {
          mostAsked: isDear ? 12 : 400,
          isOver,
        })
  // A program that answers otherwise when it is asked again broke the law all the same.
  const again = await violationOf(sample)
  const violation = again ?? (isOver() ? first : { ...first, breach: `${first.breach}-once` })
  return findingOf(law, violation, { subject: subject.name, sample, seed, path })
}

async function isExplained(subject: RemoteSubject, { before, known }: Failure, sample: Sample): Promise<boolean> {
  for (const law of before) {
    // Whoever hung before would be waited for again.
    if (known.every((cause) => cause.law !== law.id || cause.breach === 'hung')) continue
    const violation = await unlessEnded(runLawAsync(law, subject, sample))
    if (violation !== null && isKnown(known, law.id, violation)) return true
  }
  return false
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
