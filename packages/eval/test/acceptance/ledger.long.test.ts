import { describe, expect, it } from 'vitest'
import { PRESETS } from '@callspec/sim'
import { OWN_LOOP_FORMATS } from '../../src/trace/format-names.ts'
import { suite } from '../helpers/play.ts'
import { simulate, tally } from '../helpers/simulate.ts'

const EVERY_THIRD = suite.tasks.filter((_, index) => index % 3 === 0)

describe('A1: what was measured is what was injected', { timeout: 120_000 }, () => {
  it.each([...PRESETS.keys()])('for every turn and every end of %s under every format', async (preset) => {
    const { agreement } = await simulate({ models: [preset], tasks: EVERY_THIRD })

    expect(agreement.differences).toEqual([])
    expect(agreement.episodes).toBe(OWN_LOOP_FORMATS.length * EVERY_THIRD.length)
  })

  it('over raw prompts, with the stop words and without them', async () => {
    const asked = {
      models: ['sim/adversarial?seed=3'],
      formats: OWN_LOOP_FORMATS.filter((name) => name !== 'native'),
    }

    const raw = await simulate({ ...asked, api: 'completions', tasks: EVERY_THIRD })
    const off = await simulate({ ...asked, stops: 'off', tasks: EVERY_THIRD })

    expect([...raw.agreement.differences, ...off.agreement.differences]).toEqual([])
  })
})

describe('A2: quotas', { timeout: 120_000 }, () => {
  it('are measured exactly', async () => {
    const run = await simulate({
      models: ['sim/oracle?mode=quota&fault=unescaped_quote:0.12,hallucinated_tool:0.05'],
      formats: ['fncall-nous', 'react'],
      repeat: 5,
      sim: { passes: { seed: 0, repeat: 5 } },
    })

    for (const protocol of ['fncall-nous', 'react']) {
      const turns = run.scores.filter(({ key }) => key.protocol === protocol).flatMap((score) => score.turns)
      const { malformed, hallucinated_tool } = tally(turns.map((turn) => turn.strict))
      // round(.12 * 210) and round(.05 * 210).
      expect({ malformed, hallucinated_tool }).toEqual({ malformed: 25, hallucinated_tool: 11 })
    }
  })
})

describe('A4: false alarms', { timeout: 120_000 }, () => {
  it.each(['sim/perfect', 'sim/perfect-noisy-ok'])('there are none with %s', async (model) => {
    const run = await simulate({ models: [model], repeat: model === 'sim/perfect' ? 1 : 2 })

    const turns = run.scores.flatMap((score) => score.turns)
    // Prose round a role's object is not legal, and a noisy model writes it; a mark in an argument is legal JSON that nous breaks.
    const own = turns.filter((turn) => turn.asked === null && !turn.repairs.includes('quoted-marker'))
    expect(new Set(own.map((turn) => turn.strict))).toEqual(new Set(['well_formed', 'final_answer']))
    expect(new Set(turns.map((turn) => turn.lenient))).not.toContain('malformed')
    expect(run.scores.filter((score) => !score.cleanStop || !score.success)).toEqual([])
    expect(run.agreement.differences).toEqual([])
  })
})
