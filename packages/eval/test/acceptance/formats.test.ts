import { describe, expect, it } from 'vitest'
import { suite } from '../helpers/play.ts'
import { withoutPromptsFaults } from '../helpers/prompts-faults.ts'
import { PLAYED_FORMATS, simulate } from '../helpers/simulate.ts'
import { fewOf } from '../../../tidy/test/share.ts'

const EVERY_THIRD = suite.tasks.filter((_, index) => index % 3 === 0)
const MODELS = ['sim/perfect', 'sim/faulty', 'sim/leaky-server', 'sim/adversarial']

describe('the formats that are asked for by their own prompts', { timeout: 120_000 }, () => {
  it.each(fewOf(PLAYED_FORMATS, 5))('are measured as injected: %s', async (id) => {
    const run = await simulate({ models: MODELS, formats: [id], tasks: EVERY_THIRD })

    expect(withoutPromptsFaults(run.agreement.differences)).toEqual([])
    expect(run.agreement.episodes).toBe(MODELS.length * EVERY_THIRD.length)
    const perfect = run.scores.filter(({ key }) => key.model === 'sim/perfect')
    expect(perfect.filter(({ success }) => !success).map(({ key }) => key.task)).toEqual([])
    const labels = new Set(run.scores.flatMap(({ turns }) => turns.map(({ strict }) => strict)))
    expect(labels.size).toBeGreaterThan(5)
  })

  it.each(fewOf(PLAYED_FORMATS, 5))('are measured as injected without stops: %s', async (id) => {
    const off = await simulate({
      models: ['sim/adversarial?seed=3'],
      formats: [id],
      tasks: EVERY_THIRD,
      stops: 'off',
    })

    expect(withoutPromptsFaults(off.agreement.differences)).toEqual([])
  })
})
