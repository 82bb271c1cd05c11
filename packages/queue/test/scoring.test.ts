import { openRun, runEval } from '@callspec/eval'
import type { EpisodeTrace } from '@callspec/eval'
import { expect, it } from 'vitest'
import { createScoring } from '../src/collect/scoring.ts'
import { startModelServer } from './helpers/model-server.ts'
import { latest, planned, temporaryFolder } from './helpers/work.ts'

const UNITS = 100

/** The folder of a run, and its episodes in the order of the plan. */
async function played(): Promise<{ readonly folder: string; readonly traces: readonly EpisodeTrace[] }> {
  const models = await startModelServer()
  const reports = temporaryFolder()
  await runEval({ ...planned(models.baseUrl), reports })
  await models.close()
  const run = openRun(latest(reports))
  const traces = [...run.traces()]
  run.close()
  return { folder: latest(reports), traces }
}

it('scores episodes in the order of the plan, and reads those again that did not fit into memory', async () => {
  const { folder, traces } = await played()
  const { plan } = openRun(folder)
  const score = async (room: number): Promise<{ readonly atOnce: number; readonly found: readonly EpisodeTrace[] }> => {
    const found: EpisodeTrace[] = []
    const scoring = createScoring({ plan, stored: null, room, score: (_, trace) => void found.push(trace) })
    for (const trace of traces.toReversed()) scoring.ended(plan.numberOf(trace.key) ?? -1, trace, UNITS)
    scoring.spend(Infinity)
    const atOnce = found.length
    await scoring.finish(folder)
    return { atOnce, found }
  }

  const [all, three, none] = [await score(Infinity), await score(3 * UNITS), await score(0)]

  expect([all.atOnce, three.atOnce, none.atOnce]).toEqual([traces.length, 0, 0])
  for (const { found } of [all, three, none]) expect(found).toEqual(traces)
})

it('continues with the ended episodes of an interrupted run', async () => {
  const { folder, traces } = await played()
  const stored = openRun(folder)
  const found: EpisodeTrace[] = []
  const scoring = createScoring({ plan: stored.plan, stored, score: (_, trace) => void found.push(trace) })

  scoring.spend(Infinity)
  await scoring.finish('/nowhere')
  stored.close()

  expect(found).toEqual(traces)
})

it('does not finish after an abort, even if little is left', async () => {
  const { folder } = await played()
  const stored = openRun(folder)
  const scoring = createScoring({ plan: stored.plan, stored, score: () => {} })
  const stopped = new Error('stopped')

  scoring.spend(Infinity)
  const end = scoring.finish(folder, AbortSignal.abort(stopped))

  await expect(end).rejects.toBe(stopped)
  stored.close()
})
