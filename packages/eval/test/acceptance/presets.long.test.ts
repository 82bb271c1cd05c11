import { describe, expect, it } from 'vitest'
import { PRESETS } from '@callspec/sim'
import { OWN_LOOP_FORMATS } from '../../src/trace/format-names.ts'
import { simulate, tally } from '../helpers/simulate.ts'
import type { Simulated } from '../helpers/simulate.ts'
import { someOf } from '../../../tidy/test/share.ts'

/** What was measured, one line per label; presets are fixed, so these files never change. */
function labelsOf({ scores }: Simulated): string {
  const lines = OWN_LOOP_FORMATS.flatMap((protocol) => {
    const own = scores.filter(({ key }) => key.protocol === protocol)
    const turns = own.flatMap((score) => score.turns)
    const counts = {
      episodes: { all: own.length, solved: own.filter((score) => score.success).length },
      strict: tally(turns.map((turn) => turn.strict)),
      lenient: tally(turns.map((turn) => turn.lenient)),
      end: tally(own.map((score) => score.end)),
    }
    return [
      protocol,
      ...Object.entries(counts).flatMap(([kind, values]) =>
        Object.entries(values).map(([name, count]) => `  ${kind} ${name} ${count}`),
      ),
    ]
  })
  return `${lines.join('\n')}\n`
}

describe('A1: a preset', { timeout: 300_000 }, () => {
  it.each(someOf([...PRESETS.keys()]))('%s gets the labels that it always got', async (preset) => {
    const run = await simulate({ models: [preset] })

    expect(run.agreement.differences).toEqual([])
    await expect(labelsOf(run)).toMatchFileSnapshot(`presets/${preset.replace('sim/', '')}.txt`)
  })

  it.each(someOf([...PRESETS.keys()]))(
    '%s is measured as it was injected in three further passes, with stop words or without',
    async (preset) => {
      const on = await simulate({ models: [preset], repeat: 3, seed: 100 })
      const off = await simulate({ models: [preset], seed: 200, stops: 'off', stream: true })

      expect([...on.agreement.differences, ...off.agreement.differences]).toEqual([])
      expect(on.agreement.episodes + off.agreement.episodes).toBe(840)
    },
  )
})
