import { it } from 'vitest'
import { survivesKills } from './helpers/kill-law.ts'

it('runs that are killed at a hundred points come to the same result, and ask for nothing twice', async () => {
  await survivesKills({ seed: 20_261_120, runs: 20, kills: 5 })
})
