import { describe, it } from 'vitest'
import { COMBINATIONS } from '../formats/helpers.ts'
import { checkAsked, checkKept, checkSettled, checkSnapshots, checkTwoChunks } from './laws.ts'
import { runsOf } from '../../../tidy/test/share.ts'

// The same with many more texts: splits.long.test.ts.
describe.each(COMBINATIONS)('$format.id in $profile', ({ format, profile }) => {
  it('says after every chunk what parse says, wherever the reply is cut', () => {
    checkSnapshots({ format, profile, runs: runsOf(30, 150) })
  })

  it('says the same after every cut into two', () => {
    checkTwoChunks({ format, profile, runs: runsOf(5, 20) })
  })

  it('leaves snapshots that it has given as they were', () => {
    checkKept({ format, profile, runs: runsOf(8, 30) })
  })

  it('calls settled only what stays', () => {
    checkSettled({ format, profile, runs: runsOf(30, 150) })
  })
  it('calls as much settled as if nobody had asked before', () => {
    checkAsked({ format, profile, runs: runsOf(30, 150) })
  })
})
