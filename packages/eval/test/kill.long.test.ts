import { it } from 'vitest'
import { survivesKills } from './helpers/kill-law.ts'
import { shareOf } from '../../tidy/test/share.ts'

it('runs that are killed at a hundred points come to the same result, and ask for nothing twice', async () => {
  await survivesKills({ seed: 20_261_120, runs: shareOf(20), kills: shareOf(5) })
})
