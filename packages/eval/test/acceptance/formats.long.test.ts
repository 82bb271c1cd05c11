import { describe, expect, it } from 'vitest'
import { PRESETS } from '@callspec/sim'
import { withoutPromptsFaults } from '../helpers/prompts-faults.ts'
import { PLAYED_FORMATS, simulate } from '../helpers/simulate.ts'
import { someOf } from '../../../tidy/test/share.ts'

describe('A1: every preset in the formats that are asked for by their own prompts', { timeout: 300_000 }, () => {
  it.each(someOf(PLAYED_FORMATS))('is measured as it was injected, with stops or without: %s', async (id) => {
    const models = [...PRESETS.keys()]

    const on = await simulate({ models, formats: [id], seed: 100 })
    const off = await simulate({ models, formats: [id], seed: 200, stops: 'off', stream: true })

    expect(withoutPromptsFaults([...on.agreement.differences, ...off.agreement.differences])).toEqual([])
    expect(on.agreement.episodes + off.agreement.episodes).toBe(models.length * 42 * 2)
  })
})
