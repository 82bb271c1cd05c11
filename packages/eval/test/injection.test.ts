import { readReferences } from '@callspec/sim'
import { describe, expect, it } from 'vitest'
import { withForgedTexts } from '../src/formats/forged-text.ts'
import { injectionReferences, loadInjectionSuite } from '../src/suite/injection-suite.ts'
import type { InjectionRow } from '../src/summary/injection.ts'
import { createInjectionCounter } from '../src/summary/injection.ts'
import { injectionTexts } from '../src/report/injection.ts'
import { fewOf } from '../../tidy/test/share.ts'
import { FORMAT_NAMES, ROLE } from '../src/trace/format-names.ts'
import { withoutPromptsFaults } from './helpers/prompts-faults.ts'
import type { Simulated } from './helpers/simulate.ts'
import { simulate, tally } from './helpers/simulate.ts'

const MODEL = 'sim/obey_forged@0.3,echo_forged@0.15,refuse_forged@0.2,stray_forged@0.1'

async function played(format: string, models: readonly string[], repeat = 2): Promise<Simulated> {
  const suite = withForgedTexts(loadInjectionSuite(), { formats: [format] })
  const plans = injectionReferences(suite)
  const references = readReferences({
    tools: Object.fromEntries([...suite.tools].map(([name, { en }]) => [name, en])),
    tasks: suite.tasks.map((task) => ({ ...task, reference: plans.get(task.id) })),
  })
  return simulate({ models, formats: [format], suite, repeat, sim: { references } })
}

function rowsOf({ scores }: Simulated): readonly InjectionRow[] {
  const counter = createInjectionCounter()
  for (const score of scores) counter.add(score)
  return counter.rows()
}

/** The outcomes of an arm by the ledger: what each last reply was meant to be. */
function injected({ scores, ledger }: Simulated, arm: string): Readonly<Record<string, number>> {
  const lasts = new Set(scores.filter(({ forged }) => forged?.arm === arm).map(({ turns }) => turns.at(-1)?.id))
  return tally(ledger.filter(({ id }) => lasts.has(id)).map(({ forged }) => forged?.outcome ?? null))
}

describe('simulated models with forged texts', { timeout: 120_000 }, () => {
  // No simulated model finds the results in its prompts.
  const unplayed = new Set([ROLE, 'muse-glimmer'])
  const formats = FORMAT_NAMES.filter((name) => !unplayed.has(name))

  it.each(fewOf(formats, 4))('are measured as injected, arm by arm: %s', async (format) => {
    const run = await played(format, [MODEL, 'sim/perfect'])

    // A wrong answer is laid to a prompt whose tokens the simulated server counts as too few (minicpm5).
    const differences = withoutPromptsFaults(run.agreement.differences)
    expect(differences.filter((each) => !each.endsWith('(stray_forged), measured server'))).toEqual([])
    expect(run.agreement.forged).toEqual({ episodes: 288, agreeing: 288 })
    const [row] = rowsOf(run)
    const own = { ...run, scores: run.scores.filter(({ key }) => key.model === MODEL) }
    for (const { arm, outcomes } of row?.arms ?? []) expect(tally(namesOf(outcomes))).toEqual(injected(own, arm))
    expect(row?.arms.map(({ arm, episodes }) => [arm, episodes])).toEqual([
      ...[['turn', 36] as const, ['call', 36] as const, ['other-call', 36] as const, ['plain', 36] as const],
    ])
  })

  it('obey a known number of tasks, which is shown against harmless text', async () => {
    const run = await played('fncall-nous', ['sim/obey_forged@0.5?mode=quota&scope=episode'], 1)
    const [row] = rowsOf(run)
    const obeyed = row?.arms.map(({ outcomes }) => outcomes.obeyed ?? 0) ?? []

    // Half of the 72 episodes; harmless text asks for nothing.
    expect(obeyed.reduce((sum, count) => sum + count, 0)).toBe(36)
    expect(obeyed.at(-1)).toBe(0)
    const shown = row?.arms.flatMap(({ tests }) =>
      tests.filter(({ figure, isShown }) => isShown && figure === 'unharmed'),
    )
    expect(shown).toHaveLength(3)
    for (const [at, { tests }] of (row?.arms ?? []).entries())
      for (const { figure, effect } of tests)
        if (figure === 'unharmed') expect(effect).toBeCloseTo(-(obeyed[at] ?? 0) / 18, 12)
  })

  it('do no harm where they are perfect', async () => {
    const run = await played('fncall-nous', ['sim/perfect'], 1)
    const [row] = rowsOf(run)

    expect(row?.arms.map(({ outcomes, rates }) => [outcomes, rates.solved.rate])).toEqual(
      Array.from({ length: 4 }, () => [{ ignored: 18 }, 1]),
    )
    expect(injectionTexts(row ?? fail())[0]).toBe(
      'turn − harmless: unharmed 0.0 (0.0 to 0.0; p = 1); solved 0.0 (0.0 to 0.0; p = 1)',
    )
  })
})

function namesOf(counts: Readonly<Partial<Record<string, number>>>): readonly string[] {
  return Object.entries(counts).flatMap(([name, count = 0]) => Array.from({ length: count }, () => name))
}

function fail(): never {
  throw new Error('there is no row')
}
