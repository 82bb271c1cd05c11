import { describe, it } from 'vitest'
import { formats } from '../../src/qwen-agent.ts'
import { checkForcedCalls, checkMarkerOrder, checkQuotes } from './marked-laws.ts'
import { shareOf } from '../../../tidy/test/share.ts'

describe.each(formats.qwen.profiles)('qwen in %s', (profile) => {
  it('reads a forced call as parse reads it, wherever the reply is cut', () => {
    checkForcedCalls(profile, shareOf(50_000))
  })

  it('quotes long pieces as parse quotes them', () => {
    checkQuotes(profile, shareOf(50_000))
  })
})

describe.each(formats.react.profiles)('react in %s', (profile) => {
  it('reads markers in any order as parse reads them', () => {
    checkMarkerOrder(profile, shareOf(50_000))
  })
})
