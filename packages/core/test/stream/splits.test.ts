import { describe, it } from 'vitest'
import { READERS } from '../formats/helpers.ts'
import { checkKept, checkSnapshots, checkTwoChunks } from './laws.ts'
import { runsOf } from '../../../tidy/test/share.ts'

// The same with many more texts: splits.long.test.ts.
describe.each(READERS)('$format.id in $profile', ({ format, profile }) => {
  it('says after every chunk what the text so far says, wherever the reply is cut', () => {
    checkSnapshots({ format, profile, runs: runsOf(30, 150) })
  })

  it('says the same after every cut into two', () => {
    checkTwoChunks({ format, profile, runs: runsOf(5, 20) })
  })

  it('leaves snapshots that it has given as they were', () => {
    checkKept({ format, profile, runs: runsOf(8, 30) })
  })
})
