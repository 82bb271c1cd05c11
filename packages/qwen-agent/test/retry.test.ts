import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canRetry, decideRetry, FIRST_ATTEMPT } from '../src/retry.ts'
import type { ReferenceError } from '@callspec/python'

const BUSY: ReferenceError = {
  type: 'ModelServiceError',
  message: '\nError code: 429. Error message: slow',
  code: '429',
}

/** The delays of a call that fails again and again, and how it ends. */
function delaysOf(maxRetries: number, random: number): { delays: readonly number[]; end: ReferenceError } {
  const delays: number[] = []
  let state = FIRST_ATTEMPT
  for (;;) {
    const decision = decideRetry(state, BUSY, { maxRetries, random })
    if (decision.kind === 'give-up') return { delays, end: decision.error }
    delays.push(decision.delaySeconds)
    state = decision.state
  }
}

describe('decideRetry', () => {
  it('doubles the delay up to 300 seconds without jitter', () => {
    expect(delaysOf(10, 0).delays).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  })

  it('carries the jitter into the next delay, also beyond 300 seconds', () => {
    expect(delaysOf(6, 0.5).delays).toEqual([3, 9, 27, 81, 243, 450])
  })

  it('gives up after exactly so many retries as it may make, for every number of them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (maxRetries, random) => {
          const { delays, end } = delaysOf(maxRetries, random)

          expect(delays).toHaveLength(maxRetries)
          expect(end).toEqual({
            type: 'ModelServiceError',
            message: `Maximum number of retries (${maxRetries}) exceeded.`,
          })
        },
      ),
    )
  })

  it('gives the error itself back when it may not retry at all', () => {
    expect(decideRetry(FIRST_ATTEMPT, BUSY, { maxRetries: 0, random: 0 })).toEqual({ kind: 'give-up', error: BUSY })
  })
})

describe('canRetry', () => {
  it.each<[ReferenceError, boolean]>([
    [BUSY, true],
    [{ ...BUSY, code: '400' }, false],
    [{ type: 'ModelServiceError', message: '400' }, true],
    [{ ...BUSY, code: 'DataInspectionFailed' }, false],
    [{ type: 'ModelServiceError', message: 'has inappropriate content.' }, false],
    [{ type: 'ModelServiceError', message: 'the maximum context length is 8' }, false],
    [{ type: 'ValueError', message: 'x' }, false],
  ])('%j: %s', (error, expected) => {
    expect(canRetry(error)).toBe(expected)
  })
})
