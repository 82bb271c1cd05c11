import { beforeAll, describe, expect, it } from 'vitest'
import { END_LABELS, TURN_LABELS } from '../src/labels.ts'
import type { EndLabel, TurnLabel } from '../src/labels.ts'
import { compareWithLedger } from '../src/report/ledger-agreement.ts'
import { EPISODE_RULES } from '../src/score/episode-rules.ts'
import { scoreEpisode } from '../src/score/score-episode.ts'
import type { EpisodeScore, ScoringContext } from '../src/score/score-episode.ts'
import { TURN_RULES } from '../src/score/turn-rules.ts'
import { offeredTools } from '../src/suite/task.ts'
import { suite } from './helpers/play.ts'
import { simulate } from './helpers/simulate.ts'
import type { Simulated } from './helpers/simulate.ts'

/** Models that together bring about every label and every end. */
const MODELS = [
  'sim/faulty',
  'sim/oracle?transport=conn_reset@0.1,context_length@0.1,content_filter@0.1',
  'sim/hallu_obs@0.2,truncated@0.1,empty_at@0.1,malformed_stop@0.1,cycle2@0.1,never_final@0.1,plain_stop@0.1?transport=ignore_stop',
]

let run: Simulated
let samples: Simulated['episodes']
beforeAll(async () => {
  run = await simulate({ models: MODELS })
  samples = oneOfEachKind(run)
}, 120_000)

/** A few episodes in which every label and every end of the run occurs: the others say the same about a scorer. */
function oneOfEachKind({ episodes }: Simulated): Simulated['episodes'] {
  const seen = new Set<string>()
  return episodes.filter(({ score: { end, turns } }) => {
    const kinds = [end, ...turns.map(({ strict, lenient }) => `${strict} ${lenient}`)]
    const isNew = kinds.some((kind) => !seen.has(kind))
    for (const kind of kinds) seen.add(kind)
    return isNew
  })
}

/** How many differences to the ledger a scorer with other rules finds. */
function differences(rules: Pick<ScoringContext, 'turnRules' | 'episodeRules'>): number {
  const scores = samples.map(({ trace }): EpisodeScore => {
    const task = suite.tasks.find(({ id }) => id === trace.key.task)
    if (task === undefined) throw new Error(`the task ${trace.key.task} is gone`)
    return scoreEpisode(trace, { task, tools: offeredTools(suite, task), ...rules })
  })
  return compareWithLedger(scores, run.ledger).differences.length
}

/** The rules with two labels changed round. */
function swapped<Rule extends { readonly label: string }>(rules: readonly Rule[], one: string, other: string): Rule[] {
  const names = new Map([
    [one, other],
    [other, one],
  ])
  return rules.map((rule) => ({ ...rule, label: names.get(rule.label) ?? rule.label }))
}

describe('the scorer', () => {
  it('agrees with everything that was injected', () => {
    expect(run.agreement.differences).toEqual([])
  })

  it('has seen every label and every end', () => {
    const turns = new Set(
      run.scores.flatMap(({ turns: scored }) => scored.flatMap(({ strict, lenient }) => [strict, lenient])),
    )
    const ends = new Set(run.scores.map(({ end }) => end))

    expect(TURN_LABELS.filter((label) => !turns.has(label))).toEqual([])
    expect(END_LABELS.filter((label) => !ends.has(label))).toEqual([])
  })
})

describe('a scorer that is not quite right', { timeout: 60_000 }, () => {
  // Without its last rule it does the same: that is what is left when no other fits.
  it.each(TURN_LABELS.slice(0, -1))('is found out without the turn rule %s', (label) => {
    expect(differences({ turnRules: TURN_RULES.filter((rule) => rule.label !== label) })).toBeGreaterThan(0)
  })

  it.each(END_LABELS.slice(0, -1))('is found out without the end rule %s', (label) => {
    expect(differences({ episodeRules: EPISODE_RULES.filter((rule) => rule.label !== label) })).toBeGreaterThan(0)
  })

  it.each(neighbours(TURN_LABELS))('is found out when it mistakes %s for %s', (one: TurnLabel, other: TurnLabel) => {
    expect(differences({ turnRules: swapped(TURN_RULES, one, other) })).toBeGreaterThan(0)
  })

  it.each(neighbours(END_LABELS))('is found out when it mistakes %s for %s', (one: EndLabel, other: EndLabel) => {
    expect(differences({ episodeRules: swapped(EPISODE_RULES, one, other) })).toBeGreaterThan(0)
  })
})

function neighbours<Label>(labels: readonly Label[]): [Label, Label][] {
  return labels.slice(1).map((label, index) => [labels[index] ?? label, label])
}
