import { allWarnings } from '@callspec/eval'
import type { EvalSummary } from '@callspec/eval'
import { describe, expect, it } from 'vitest'
import { warningsSection } from '../src/evaluation/warnings.ts'
import { episodeOf, reportOf } from './helpers/reports.ts'

const { summary } = reportOf([episodeOf('m', 'react'), episodeOf('m', 'react', { task: 'S02', ending: 'empty' })])

function pageOf(warnings: EvalSummary['warnings']): string {
  return warningsSection({ ...summary, warnings })?.markup ?? ''
}

describe('the warnings of a page', () => {
  it('are whole sentences in both languages, with the same figures', () => {
    const page = pageOf(summary.warnings)

    expect(allWarnings(summary).map(({ code }) => code)).toContain('small-sample')
    expect(page).toMatch(/by itself is known to ± (\d+) points only \(n = 2\).*精确到 ± \1 个百分点（n = 2）。/s)
  })

  it('stay English where an older summary does not hold the figures', () => {
    expect(pageOf([{ code: 'small-sample', text: 'n too small' }]).match(/n too small/g)).toHaveLength(2)
  })

  it('put nothing into the page that a file of somebody else holds', () => {
    const values = [{ toString: 1 }, '<img src=x>'] as unknown as readonly string[]

    expect(pageOf([{ code: 'small-sample', text: 't', values }])).toContain('（n = &lt;img src=x&gt;）')
  })
})
