import { describe, expect, it } from 'vitest'

import { LAWS, searchViolations } from '../src/index.ts'
import type { SearchResult } from '../src/index.ts'
import { PAIRINGS, subjectOf } from './helpers/subjects.ts'
import { shareOf } from '../../tidy/test/share.ts'

// A campaign against our own parsers. How long it takes is set from outside: FUZZ_RUNS texts for the laws whose questions
// grow with the text, FUZZ_QUADRATIC_RUNS for the dear ones, per format and profile; FUZZ_SEED for other texts; FUZZ_ONLY for
// pairings whose name contains a text.

const RUNS = Number(process.env['FUZZ_RUNS'] ?? shareOf(20_000))
const QUADRATIC_RUNS = Number(process.env['FUZZ_QUADRATIC_RUNS'] ?? shareOf(1000))
const SEED = Number(process.env['FUZZ_SEED'] ?? 5)
const ONLY = process.env['FUZZ_ONLY'] ?? ''

const LINEAR = LAWS.filter(({ cost }) => cost === 'linear')
const QUADRATIC = LAWS.filter(({ cost }) => cost === 'quadratic')

describe.each(PAIRINGS.filter(({ format, profile }) => `${format}@${profile}`.includes(ONLY)))(
  '$format at $profile',
  (pairing) => {
    it('keeps every law whose questions grow with the text', { timeout: 0 }, async () => {
      const result = await timed(() => searchViolations(subjectOf(pairing), { laws: LINEAR, runs: RUNS, seed: SEED }))

      expect(result.findings).toEqual([])
    })

    it('keeps every law with a quadratic cost', { timeout: 0 }, async () => {
      const result = await timed(() =>
        searchViolations(subjectOf(pairing), { laws: QUADRATIC, runs: QUADRATIC_RUNS, seed: SEED }),
      )

      expect(result.findings).toEqual([])
    })
  },
)

async function timed(search: () => Promise<SearchResult>): Promise<SearchResult> {
  const start = performance.now()
  const result = await search()
  const { texts, distribution, seed } = result
  console.log(JSON.stringify({ texts, distribution, seed, seconds: Math.round((performance.now() - start) / 1000) }))
  return result
}
