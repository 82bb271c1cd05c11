import { describe, expect, it } from 'vitest'
import { compareWithLedger } from '../src/summary/ledger-agreement.ts'
import { play } from './helpers/play.ts'
import { shareOf } from '../../tidy/test/share.ts'

const PASSES = shareOf(10)

describe('ten passes over the suite', () => {
  it.each([true, false])('are measured as they were injected (streamed: %s)', { timeout: 300_000 }, async (stream) => {
    const { episodes, ledger } = await play({
      models: ['sim/perfect', 'sim/faulty'],
      repeat: PASSES,
      seed: 100,
      stream,
    })

    const agreement = compareWithLedger(
      episodes.map((episode) => episode.score),
      ledger,
    )

    expect(agreement.differences).toEqual([])
    expect(agreement.episodes).toBe(420 * PASSES)
  })
})
