import { formats } from '@callspec/core/qwen-agent'
import { describe, expect, it } from 'vitest'

import { LAWS, searchViolations } from '../src/index.ts'
import { PAIRINGS, subjectOf, WORKING } from './helpers/subjects.ts'
import { runsOf } from '../../tidy/test/share.ts'

// A look at every law for every format that works. Many more texts: laws.long.test.ts.

const SEED = 1
const LINEAR = LAWS.filter(({ cost }) => cost === 'linear')
const DEAR = LAWS.filter(({ cost }) => cost === 'quadratic')

describe.each(PAIRINGS)('$format at $profile', (pairing) => {
  it('keeps the laws', async () => {
    const subject = subjectOf(pairing)

    const linear = await searchViolations(subject, { laws: LINEAR, runs: runsOf(15, 60), seed: SEED })
    const dear = await searchViolations(subject, { laws: DEAR, runs: runsOf(3, 10), seed: SEED })

    expect([...linear.findings, ...dear.findings]).toEqual([])
  })
})

describe.each(PAIRINGS.filter(({ format }) => format === 'qwen'))('qwen at $profile, one call', (pairing) => {
  it('keeps the laws when only the first call counts', async () => {
    const { findings } = await searchViolations(subjectOf(pairing, { parallelCalls: false }), {
      laws: LINEAR,
      runs: runsOf(15, 60),
      seed: SEED,
    })

    expect(findings).toEqual([])
  })
})

describe.each(PAIRINGS)('the texts for $format at $profile', (pairing) => {
  it('hold calls, broken calls and none, at least one in seven each', async () => {
    const { distribution, texts } = await searchViolations(subjectOf(pairing), {
      laws: LINEAR.slice(0, 1),
      runs: runsOf(200, 400),
      seed: SEED,
    })

    expect(Object.values(distribution).reduce((sum, count) => sum + count, 0)).toBe(texts)
    for (const count of Object.values(distribution)) expect(count).toBeGreaterThan(texts / 7)
  })
})

it('the laws are checked for every built-in format', () => {
  expect(Object.keys(WORKING).sort()).toEqual(Object.keys(formats).sort())
})
