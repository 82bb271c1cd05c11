import { describe, expect, it } from 'vitest'
import { signFlip } from '../../src/statistics/sign-flip.ts'
import { losses } from '../helpers/losses.ts'
import { onlyLong } from '../../../tidy/test/share.ts'

const PASSES = 9

function pValue(name: string): number {
  const [first, second] = [losses(name, 'react', PASSES), losses(name, 'fncall-nous', PASSES)]
  const lost = (passes: readonly boolean[] = []): number => passes.filter(Boolean).length
  const values = first.map((passes, task) => (lost(passes) - lost(second[task])) / PASSES)
  return signFlip({ values, denominator: PASSES }).p
}

describe('A7: a known difference', { timeout: 120_000 }, () => {
  onlyLong(() => {
    it('of nothing is shown in about one of twenty runs, not more', () => {
      const shown = Array.from({ length: 200 }, (_, seed) => pValue(`sim/oracle?skill=0.85&seed=${seed}`)).filter(
        (p) => p < 0.05,
      )

      // The exact test is on the safe side: fewer than 5 %. z = 4 of a binomial with n = 200, p = .05 is 12.
      expect(shown.length).toBeLessThanOrEqual(22)
      expect(shown.length).toBeGreaterThan(0)
    })
  })

  it('of .20 against .05 is found in nearly every run', () => {
    const found = Array.from({ length: 50 }, (_, seed) =>
      pValue(`sim/oracle?protocol.react.skill=0.80&protocol.fncall-nous.skill=0.95&seed=${seed}`),
    ).filter((p) => p < 0.001)

    expect(found.length).toBeGreaterThan(45)
  })
})
