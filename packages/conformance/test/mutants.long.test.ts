import { expect, it } from 'vitest'

import { makeMutant, readMutants } from '../src/index.ts'
import { failings } from './helpers/mutants.ts'

/** Mistakes that no answer shows: they are about speed, and counted by a law. */
const ONLY_LAWS = ['nous/reads-again']

it('every mutant is caught by a case, and right in at least 60 % of those about calls', async () => {
  expect(await failings(readMutants().map(makeMutant))).toEqual({ missed: ONLY_LAWS, wrecks: [] })
})
