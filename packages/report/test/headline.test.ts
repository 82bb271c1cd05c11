import { loadBuiltInSuite } from '@callspec/eval'
import type { SummaryRow } from '@callspec/eval'
import { describe, expect, it } from 'vitest'
import { headlines } from '../src/evaluation/headline.ts'
import { renderEvaluation } from '../src/evaluation/page.ts'
import { episodeOf, reportOf } from './helpers/reports.ts'
import type { Ending } from './helpers/reports.ts'
import type { EvaluationReport } from '../src/evaluation/input.ts'

const TASKS = loadBuiltInSuite().tasks.map(({ id }) => id)

/** So many tasks with two seeds each; `qwen` and `react` say of every episode whether it was solved. */
function runOf(tasks: number, solved: (protocol: 'fncall-qwen' | 'react', index: number) => boolean): EvaluationReport {
  const episodes = TASKS.slice(0, tasks).flatMap((task, index) =>
    [0, 1].flatMap((sample) =>
      (['fncall-qwen', 'react'] as const).map((protocol) => {
        const ending: Ending = solved(protocol, 2 * index + sample) ? 'solved' : 'empty'
        return episodeOf('m', protocol, { task, sample, ending })
      }),
    ),
  )
  return reportOf(episodes)
}

const percentOf = (row: SummaryRow | undefined): string => `${((row?.rates.task_success.rate ?? 0) * 100).toFixed(1)} %`

describe('the four sentences', () => {
  it('name the winner of a run with one, as far as the summary shows it', () => {
    const { summary } = runOf(40, (protocol, index) => protocol === 'fncall-qwen' || index % 2 === 0)
    const [qwen, react] = summary.rows
    const test = summary.comparisons[0]?.tests.find(({ metric }) => metric === 'task_success')
    const [headline] = headlines(summary)

    expect(test?.isShown).toBe(true)
    expect(headline?.which.en).toBe(
      `fncall-qwen: it solved ${percentOf(qwen)} of the tasks, more than react with ${percentOf(react)}.`,
    )
    expect(headline?.howMuch.en).toBe(
      'fncall-qwen beats react on success by 50.0 points (95 %: 50.0 to 50.0; p = 3.6e-12 after Holm, 40 tasks × 2 tries).',
    )
    expect(headline?.howCertain.en).toBe(
      'Over 40 tasks × 2 tries, 40 tasks were solved more often with fncall-qwen and 0 with react (exact sign-flip test by task, Holm over all comparisons of this page: p < 0.001).',
    )
    expect(headline?.breaks.en).toBe(
      `malformed in ${summary.rows.reduce((sum, { strict }) => sum + (strict.malformed ?? 0), 0)} of ${summary.rows.reduce((sum, { turns }) => sum + turns, 0)} turns, ` +
        `and empty_output at the end of ${react?.ends.empty_output} of ${summary.rows.reduce((sum, { episodes }) => sum + episodes, 0)} episodes.`,
    )
  })

  it('name none where no difference is shown', () => {
    const { summary } = runOf(42, (protocol, index) => index % 20 !== (protocol === 'react' ? 0 : 1))
    const [headline] = headlines(summary)

    expect(headline?.which.en).toMatch(/^No difference is shown: /)
    expect(headline?.howMuch.en).toBe('By 0.0 points over react, which is not shown (95 %: 0.0 to 0.0).')
    expect(headline?.howCertain.en).toContain('p = 1)')
    expect(headline?.howCertain.zh).toContain('42 个任务中')
  })

  it('say that there are too few samples', () => {
    const { summary } = runOf(2, (protocol) => protocol === 'fncall-qwen')
    const [headline] = headlines(summary)

    expect(headline?.which.en).toMatch(/^Too few episodes to choose: /)
    expect(headline?.howCertain.en).toContain('More tasks or seeds are needed')
  })

  it('stand in the page under their headings, in both languages', () => {
    const report = runOf(2, () => true)
    const [headline] = headlines(report.summary)
    const page = renderEvaluation(report)

    for (const heading of ['Which format', 'By how much', 'How certain', 'What breaks most', '用哪个格式'])
      expect(page).toContain(heading)
    expect(page).toContain(headline?.which.en)
    expect(page).toContain(headline?.breaks.zh)
  })
})
