import { describe, it } from 'vitest'
import { READERS } from '../formats/helpers.ts'
import { checkKept, checkSnapshots, checkTwoChunks } from './laws.ts'
import { shareOf } from '../../../tidy/test/share.ts'

describe.each(READERS)('$format.id in $profile', ({ format, profile }) => {
  it('says after every chunk what the text so far says, wherever the reply is cut', () => {
    checkSnapshots({ format, profile, runs: shareOf(200_000) })
  })

  it('says the same after every cut into two', () => {
    checkTwoChunks({ format, profile, runs: shareOf(5000) })
  })

  it('leaves snapshots that it has given as they were', () => {
    checkKept({ format, profile, runs: shareOf(5000) })
  })
})
