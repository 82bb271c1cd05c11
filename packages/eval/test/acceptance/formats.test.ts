import { describe, expect, it } from 'vitest'
import { AGREEING_FORMATS } from '../helpers/agreeing.ts'
import { suite } from '../helpers/play.ts'
import { simulate } from '../helpers/simulate.ts'

const EVERY_THIRD = suite.tasks.filter((_, index) => index % 3 === 0)
const MODELS = ['sim/perfect', 'sim/faulty', 'sim/leaky-server', 'sim/adversarial']

/** A maker's prompt that shows no tools is blamed for what a model makes of it; the simulated models read it all the same. */
function isNoPromptsFault(difference: string): boolean {
  return !/(?:^[^;]*: caused by (?:model|parser) \([^)]*\), blamed on prompt|blames: injected (?:model|parser) \([^)]*\), measured prompt)$/.test(
    difference,
  )
}

/** One flag of one turn still differs there: text in a message of its own before a call is not seen as prose before it. */
const NOT_YET_WITHOUT_STOPS = ['harmony']

describe('the formats that are asked for by their own prompts', { timeout: 120_000 }, () => {
  it.each(AGREEING_FORMATS)('are measured as injected: %s', async (id) => {
    const run = await simulate({ models: MODELS, protocols: [id], tasks: EVERY_THIRD })

    expect(run.agreement.differences.filter(isNoPromptsFault)).toEqual([])
    expect(run.agreement.episodes).toBe(MODELS.length * EVERY_THIRD.length)
    const perfect = run.scores.filter(({ key }) => key.model === 'sim/perfect')
    expect(perfect.filter(({ success }) => !success).map(({ key }) => key.task)).toEqual([])
    const labels = new Set(run.scores.flatMap(({ turns }) => turns.map(({ strict }) => strict)))
    expect(labels.size).toBeGreaterThan(5)
  })

  const ids = AGREEING_FORMATS.filter((id) => !NOT_YET_WITHOUT_STOPS.includes(id))
  it.each(ids)('are measured as injected without stops: %s', async (id) => {
    const off = await simulate({
      models: ['sim/adversarial?seed=3'],
      protocols: [id],
      tasks: EVERY_THIRD,
      stops: 'off',
    })

    expect(off.agreement.differences.filter(isNoPromptsFault)).toEqual([])
  })
})
