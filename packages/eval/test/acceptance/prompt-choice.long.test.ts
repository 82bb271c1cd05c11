import { describe, expect, it } from 'vitest'
import { suite } from '../helpers/play.ts'
import { simulate } from '../helpers/simulate.ts'

const EVERY_SIXTH = suite.tasks.filter((_, index) => index % 6 === 0)
const EVERY_THIRD = suite.tasks.filter((_, index) => index % 3 === 0)
const MODELS = ['sim/perfect', 'sim/faulty']
const LACKING = [
  'phi-4-mini',
  'deepseek-v3',
  'deepseek-v3.1',
  'functiongemma',
  'granite-3',
  'lfm2',
  'lfm2.5',
  'llama-4',
]

describe('the prompt of callspec', { timeout: 120_000 }, () => {
  it.each(LACKING)('is answered in the format, measured as injected and never blamed: %s', async (id) => {
    const run = await simulate({ models: MODELS, formats: [id], tasks: EVERY_SIXTH, prompt: 'callspec' })

    expect(run.agreement.differences).toEqual([])
    const perfect = run.scores.filter(({ key }) => key.model === 'sim/perfect')
    expect(perfect.filter(({ success }) => !success).map(({ key }) => key.task)).toEqual([])
    expect(run.scores.flatMap(({ attribution }) => attribution?.rule ?? [])).not.toContain('calls-not-shown')
  })

  it.each(['phi-4-mini', 'deepseek-v3', 'granite-3'])(
    'is what the maker’s lacks: no model is blamed there: %s',
    async (id) => {
      const run = await simulate({ models: ['sim/faulty', 'sim/adversarial'], formats: [id], tasks: EVERY_THIRD })
      const later = run.scores.flatMap(({ turns }) => turns.slice(1).flatMap(({ attribution }) => attribution ?? []))

      expect(later.filter(({ blames }) => blames === 'model')).toEqual([])
      expect(later.some(({ blames }) => blames === 'prompt')).toBe(true)
    },
  )
})
