import type { SummaryRow } from '@callspec/eval'
import { describe, expect, it } from 'vitest'
import { headlines } from '../src/evaluation/headline.ts'
import { renderEvaluation } from '../src/evaluation/page.ts'
import { episodeOf, reportOf } from './helpers/reports.ts'
import type { Ending } from './helpers/reports.ts'
import type { EvaluationReport } from '../src/evaluation/input.ts'

/** So many seeds of three tasks; `qwen` and `react` say of every one whether it was solved. */
function runOf(seeds: number, solved: (protocol: 'fncall-qwen' | 'react', index: number) => boolean): EvaluationReport {
  let index = 0
  const episodes = ['S01', 'S02', 'S03'].flatMap((task) =>
    Array.from({ length: seeds }, (_, sample) => {
      index += 1
      return (['fncall-qwen', 'react'] as const).map((protocol) => {
        const ending: Ending = solved(protocol, index) ? 'solved' : 'empty'
        return episodeOf('m', protocol, { task, sample, ending })
      })
    }).flat(),
  )
  return reportOf(episodes)
}

const percentOf = (row: SummaryRow | undefined): string => `${((row?.rates.task_success.rate ?? 0) * 100).toFixed(1)} %`

describe('the four sentences', () => {
  it('name the winner of a run with one, as far as the summary shows it', () => {
    const { summary } = runOf(20, (protocol, index) => protocol === 'fncall-qwen' || index % 2 === 0)
    const [qwen, react] = summary.rows
    const test = summary.comparisons[0]?.tests.find(({ metric }) => metric === 'task_success')
    const [headline] = headlines(summary)

    expect(test?.isShown).toBe(true)
    expect(headline?.which.en).toBe(
      `fncall-qwen: it solved ${percentOf(qwen)} of the tasks, more than react with ${percentOf(react)}.`,
    )
    expect(headline?.howMuch.en).toBe(
      `By ${((test?.effect ?? 0) * 100).toFixed(1)} points over react; with 95 % confidence between ${((test?.interval?.[0] ?? 0) * 100).toFixed(1)} and ${((test?.interval?.[1] ?? 0) * 100).toFixed(1)}.`,
    )
    expect(headline?.howCertain.en).toBe(
      `Of ${test?.pairs} pairs, ${test?.discordant?.left} were solved only with fncall-qwen and ${test?.discordant?.right} only with react (exact McNemar, Holm: p < 0.001).`,
    )
    expect(headline?.breaks.en).toBe(
      `malformed in ${summary.rows.reduce((sum, { strict }) => sum + (strict.malformed ?? 0), 0)} of ${summary.rows.reduce((sum, { turns }) => sum + turns, 0)} turns, ` +
        `and empty_output at the end of ${react?.ends.empty_output} of ${summary.rows.reduce((sum, { episodes }) => sum + episodes, 0)} episodes.`,
    )
  })

  it('name none where no difference is shown', () => {
    const { summary } = runOf(60, (protocol, index) => index % 10 !== (protocol === 'react' ? 0 : 1))
    const [headline] = headlines(summary)

    expect(headline?.which.en).toMatch(/^No difference is shown: /)
    expect(headline?.howCertain.en).toContain('p = 1)')
    expect(headline?.howCertain.zh).toContain('McNemar')
  })

  it('say that there are too few samples', () => {
    const { summary } = runOf(2, (protocol) => protocol === 'fncall-qwen')
    const [headline] = headlines(summary)

    expect(headline?.which.en).toMatch(/^Too few episodes to choose: /)
    expect(headline?.howCertain.en).toContain('More seeds are needed')
  })

  it('stand in the page under their headings, in both languages', () => {
    const report = runOf(2, () => true)
    const [headline] = headlines(report.summary)
    const page = renderEvaluation(report)

    for (const heading of ['Which protocol', 'By how much', 'How certain', 'What breaks most', '用哪个协议'])
      expect(page).toContain(heading)
    expect(page).toContain(headline?.which.en)
    expect(page).toContain(headline?.breaks.zh)
  })
})
