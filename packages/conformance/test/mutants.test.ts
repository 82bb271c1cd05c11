import { describe, expect, it } from 'vitest'

import { makeMutant, readMutants } from '../src/built-in/index.ts'
import { differs } from '../src/built-in/mutants/score-mutants.ts'
import { failings } from './helpers/mutants.ts'
import { onlyLong } from '../../tidy/test/share.ts'

const mutants = readMutants().map(makeMutant)

/** One of so many is tried here, all of them in the long tests. */
const SHARE = 11

describe('the mutants', () => {
  it('are at least 60 about at least 8 formats, 15 of them mistakes of released engines, each with an id of its own', () => {
    const ids = mutants.map(({ spec }) => spec.id)

    expect(ids.length).toBeGreaterThanOrEqual(60)
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(mutants.map(({ spec }) => spec.format)).size).toBeGreaterThanOrEqual(8)
    expect(mutants.filter(({ spec }) => spec.released !== undefined).length).toBeGreaterThanOrEqual(15)
    for (const { spec } of mutants) expect(spec.id).toMatch(new RegExp(`^${spec.format.replace('.', '\\.')}/[a-z-]+$`))
  })

  it.each(mutants.map((mutant) => [mutant.spec.id, mutant] as const))('%s differs on its text', async (_, mutant) => {
    expect(await differs(mutant)).toBe(true)
  })

  onlyLong(() => {
    it('are each caught by a case, and right in at least 60 % of those about calls: some of them', async () => {
      const some = mutants.filter((_, at) => at % SHARE === 3)

      expect(await failings(some)).toEqual({ missed: [], wrecks: [] })
    })
  })
})
