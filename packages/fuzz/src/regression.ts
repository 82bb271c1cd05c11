import { InputError } from '@callspec/core'

import type { Finding } from './finding.ts'
import type { LawId } from './law-id.ts'
import type { Violation } from './law.ts'
import { isLawId, lawsNamed } from './laws/index.ts'
import { runLaw, runLawAsync } from './run-law.ts'
import type { Plan, Sample } from './sample.ts'
import type { RemoteSubject, Subject } from './subject.ts'

/** The version of the form of a kept case. */
export const REGRESSION_VERSION = 1

/** A violation that was found once and is checked for ever. Plain data. */
export interface Regression {
  readonly regression: typeof REGRESSION_VERSION
  readonly format: string
  /** Null for the format's own default. */
  readonly profile: string | null
  readonly law: LawId
  readonly breach: string
  readonly sample: Sample
  /** How it was seen: chunks, JSON of what was expected and got, who answered. */
  readonly seen: Pick<Finding, 'subject' | 'chunks' | 'expected' | 'got' | 'seed' | 'path'>
}

/** A finding as it is kept. */
export function regressionOf(
  finding: Finding,
  about: { readonly format: string; readonly profile: string | null },
): Regression {
  const { subject, chunks, expected, got, seed, path } = finding
  return {
    regression: REGRESSION_VERSION,
    format: about.format,
    profile: about.profile,
    law: finding.law,
    breach: finding.breach,
    sample: finding.sample,
    seen: { subject, chunks, expected, got, seed, path },
  }
}

/** Checks the law of a kept case on its sample; null where it holds. */
export async function checkRegression(
  { law, sample }: Regression,
  subject: Subject | RemoteSubject,
): Promise<Violation | null> {
  for (const each of lawsNamed([law])) {
    if (!each.applies(subject)) continue
    const violation = 'answer' in subject ? runLaw(each, subject, sample) : await runLawAsync(each, subject, sample)
    if (violation !== null) return violation
  }
  return null
}

/**
 * Reads a kept case.
 *
 * @param where for the message
 * @throws InputError for what is none
 */
export function readRegression(value: unknown, where: string): Regression {
  const map = mapOf(value)
  if (map === null || map['regression'] === undefined)
    throw new InputError(where, 'is no kept case of `callspec fuzz --save`: it has no "regression".')
  if (map['regression'] !== REGRESSION_VERSION)
    throw new InputError(where, `is of a version that is not known here; this callspec knows ${REGRESSION_VERSION}.`)
  const { format, profile, law, breach } = map
  const sample = sampleOf(map['sample'])
  if (
    typeof format !== 'string' ||
    typeof law !== 'string' ||
    !isLawId(law) ||
    typeof breach !== 'string' ||
    sample === null
  )
    throw new InputError(where, 'is damaged: "format", "law", "breach" or "sample" is not as it was written.')
  const seen = mapOf(map['seen']) ?? {}
  return {
    regression: REGRESSION_VERSION,
    format,
    profile: typeof profile === 'string' ? profile : null,
    law,
    breach,
    sample,
    seen: {
      subject: textOf(seen['subject']),
      chunks: Array.isArray(seen['chunks']) ? seen['chunks'].map(textOf) : [],
      expected: textOf(seen['expected']),
      got: textOf(seen['got']),
      seed: typeof seen['seed'] === 'number' ? seen['seed'] : 0,
      path: textOf(seen['path']),
    },
  }
}

function sampleOf(value: unknown): Sample | null {
  const map = mapOf(value)
  const text = map?.['text']
  const cuts: unknown = map?.['cuts']
  if (map === null || typeof text !== 'string' || !Array.isArray(cuts)) return null
  const isPlace = (cut: unknown): cut is number =>
    Number.isInteger(cut) && Number(cut) >= 0 && Number(cut) <= text.length
  if (!cuts.every(isPlace)) return null
  return { text, cuts: cuts.toSorted((a, b) => a - b), other: textOf(map['other']), plan: planOf(map['plan']) }
}

/** Laws ask for the parts of a plan only after looking at their kind. */
function planOf(value: unknown): Plan | null {
  const parts: unknown = mapOf(value)?.['parts']
  return Array.isArray(parts) && parts.every((part) => typeof mapOf(part)?.['text'] === 'string')
    ? (value as Plan)
    : null
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
