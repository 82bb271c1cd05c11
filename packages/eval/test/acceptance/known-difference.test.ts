import { describe, expect, it } from 'vitest'
import { mcnemar } from '../../src/statistics/mcnemar.ts'
import { losses } from '../helpers/losses.ts'

const PASSES = 9

function pValue(name: string): number {
  const first = losses(name, 'react', PASSES).flat()
  const second = losses(name, 'fncall-nous', PASSES).flat()
  const onlyFirst = first.filter((lost, at) => lost && second[at] === false).length
  const onlySecond = second.filter((lost, at) => lost && first[at] === false).length
  return mcnemar(onlyFirst, onlySecond)
}

describe('A7: a known difference', { timeout: 120_000 }, () => {
  it('of nothing is shown in about one of twenty runs, not more', () => {
    const shown = Array.from({ length: 200 }, (_, seed) => pValue(`sim/oracle?skill=0.85&seed=${seed}`)).filter(
      (p) => p < 0.05,
    )

    // The exact test is on the safe side: fewer than 5 %. z = 4 of a binomial with n = 200, p = .05 is 12.
    expect(shown.length).toBeLessThanOrEqual(22)
    expect(shown.length).toBeGreaterThan(0)
  })

  it('of .20 against .05 is found in nearly every run', () => {
    const found = Array.from({ length: 50 }, (_, seed) =>
      pValue(`sim/oracle?protocol.react.skill=0.80&protocol.fncall-nous.skill=0.95&seed=${seed}`),
    ).filter((p) => p < 0.001)

    expect(found.length).toBeGreaterThan(45)
  })
})
