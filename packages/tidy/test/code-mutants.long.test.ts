import { expect, it } from 'vitest'

import { ARGUED } from './code-mutants/argued.ts'
import { drawMutants, mutantsOf } from './code-mutants/draw-mutants.ts'
import { PARTS } from './code-mutants/parts.ts'
import { runMutants } from './code-mutants/run-mutants.ts'
import { IS_WHOLE, shareOf } from './share.ts'

/** Small changes of our own code, which the tests have to see: a score of the tests, not of the code. */
const MUTANTS = 200
const SEED = 16

/** Of the whole draw, those that are argued among what no test sees: what tests must not fall behind. */
const LEAST = 0.85

it.each(['readers', 'judging', 'statistics'] as const)(
  'small changes of the %s are seen by tests',
  { timeout: 7_200_000 },
  async (name) => {
    const part = PARTS[name]
    const argued = new Set(ARGUED.map(({ id }) => id))
    const drawn = drawMutants(mutantsOf(part.files), { count: shareOf(MUTANTS, 4), seed: SEED })
    const mutants = drawn.filter(({ id }) => !argued.has(id))
    const start = process.cpuUsage()

    const { killed, timedOut, survivors, unreached, tests, declared } = await runMutants(part, mutants)

    const { user, system } = process.cpuUsage(start)
    const left = survivors.map(({ id, line }) => `line ${line} of ${id}`)
    const missed = new Set(unreached.map(({ id }) => id))
    console.log(
      [
        `${name}: ${killed} of ${mutants.length} seen, ${timedOut} of them as endless; ${drawn.length - mutants.length} argued;`,
        `by ${tests} of ${declared} tests, in ${Math.round((user + system) / 1e6)} s of CPU; ${missed.size} reached by none`,
        ...left,
      ].join('\n'),
    )
    // A bundle that lost its tests would let every change through.
    expect(tests).toBeGreaterThan(100)
    expect(left).toEqual([])
    if (IS_WHOLE) expect(killed / drawn.length).toBeGreaterThanOrEqual(LEAST)
  },
)
