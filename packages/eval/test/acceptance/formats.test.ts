import { describe, expect, it } from 'vitest'
import { PROMPTED_FORMATS } from '../../src/protocol.ts'
import { suite } from '../helpers/play.ts'
import { simulate } from '../helpers/simulate.ts'

const EVERY_THIRD = suite.tasks.filter((_, index) => index % 3 === 0)
const MODELS = ['sim/perfect', 'sim/faulty', 'sim/leaky-server', 'sim/adversarial']

describe('the formats that are asked for by their own prompts', { timeout: 120_000 }, () => {
  it.each(PROMPTED_FORMATS.map(({ id }) => id))('are measured as injected: %s', async (id) => {
    const run = await simulate({ models: MODELS, protocols: [id], tasks: EVERY_THIRD })

    expect(run.agreement.differences).toEqual([])
    expect(run.agreement.episodes).toBe(MODELS.length * EVERY_THIRD.length)
    const perfect = run.scores.filter(({ key }) => key.model === 'sim/perfect')
    expect(perfect.filter(({ success }) => !success).map(({ key }) => key.task)).toEqual([])
    const labels = new Set(run.scores.flatMap(({ turns }) => turns.map(({ strict }) => strict)))
    expect(labels.size).toBeGreaterThan(5)
  })

  it.each(PROMPTED_FORMATS.map(({ id }) => id))('are measured as injected without stops: %s', async (id) => {
    const off = await simulate({
      models: ['sim/adversarial?seed=3'],
      protocols: [id],
      tasks: EVERY_THIRD,
      stops: 'off',
    })

    expect(off.agreement.differences).toEqual([])
  })
})
