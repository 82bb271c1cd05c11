import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { formats } from '@callspec/core'
import { describe, expect, it } from 'vitest'

import { chunksOf, cutsOf, EXCEPTIONS, formatSubject, lawsNamed, runLaw } from '../src/index.ts'
import type { Sample, Violation } from '../src/index.ts'
import { recordedTexts, REPOSITORY } from './helpers/recorded.ts'
import { WORKING } from './helpers/subjects.ts'

interface ExceptionCase {
  readonly case: string
  readonly format: keyof typeof WORKING
  readonly profiles: readonly string[]
  readonly law: string
  readonly breach: string
  readonly chunks: readonly string[]
  readonly recorded?: string
}

const { exceptions: CASES } = JSON.parse(
  readFileSync(resolve(REPOSITORY, 'fixtures/laws/exceptions.json'), 'utf8'),
) as { exceptions: readonly ExceptionCase[] }

const BY_PROFILE = CASES.flatMap((entry) => entry.profiles.map((profile) => ({ ...entry, profile })))

describe.each(BY_PROFILE)('$format at $profile: $case', ({ format, profile, law, breach, chunks }) => {
  it('breaks the law, and is let through', () => {
    const strict = broken({ format, profile, law, chunks, exceptions: [] })
    const lenient = broken({ format, profile, law, chunks, exceptions: EXCEPTIONS[format] ?? [] })

    expect(strict?.breach).toBe(breach)
    expect(lenient).toBe(null)
  })
})

describe('every exception', () => {
  const listed = Object.entries(EXCEPTIONS).flatMap(([format, own = []]) =>
    own.map((exception) => ({ format, ...exception })),
  )

  it('has a case, and every case has an exception', () => {
    const key = (entry: { format: string; law: string; breach: string; case: string }): string =>
      [entry.format, entry.law, entry.breach, entry.case].join(' / ')

    expect(CASES.map(key).sort()).toEqual(listed.map(key).sort())
  })

  it('is shown in every profile in which the format works', () => {
    for (const { format, profiles } of CASES) expect(profiles).toEqual(WORKING[format])
  })

  it('names a recorded answer that there is, where it names one', () => {
    const ids = new Set(recordedTexts().map(({ id }) => id))

    for (const { recorded } of CASES) if (recorded !== undefined) expect(ids).toContain(recorded)
  })

  it('leaves a well-formed reply to the law', () => {
    for (const { format, texts } of listed) {
      const { language } = formatSubject(formats[format as ExceptionCase['format']])
      const reply = language.write({ prose: 'Let me look.', calls: [{ name: 'clock', arguments: '{"zone": "UTC"}' }] })

      expect(reply).not.toMatch(texts)
    }
  })
})

interface Question {
  readonly format: ExceptionCase['format']
  readonly profile: string
  readonly law: string
  readonly chunks: readonly string[]
  readonly exceptions: (typeof EXCEPTIONS)['nous'] & {}
}

function broken({ format, profile, law, chunks, exceptions }: Question): Violation | null {
  const subject = formatSubject(formats[format], { options: { profile }, exceptions })
  const sample: Sample = { text: chunks.join(''), cuts: cutsOf(chunks), other: '', plan: null }
  expect(chunksOf(sample.text, sample.cuts)).toEqual(chunks)
  const [named] = lawsNamed([law])
  return named === undefined ? null : runLaw(named, subject, sample)
}
