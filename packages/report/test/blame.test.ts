import type { Attribution } from '@callspec/eval'
import { expect, it } from 'vitest'
import { renderEvaluation } from '../src/evaluation/page.ts'
import { episodeOf, reportOf } from './helpers/reports.ts'

it('a cause of our own making is told from those of the model in both languages', () => {
  const { trace, score } = episodeOf('m', 'react', { ending: 'empty' })
  const attribution: Attribution = {
    blames: 'setup',
    rule: 'max-tokens-too-small',
    detail: null,
    evidence: 'max_tokens is 64, and all of them are used up: set --max-tokens 1024',
  }
  const turns = score.turns.map((turn) => ({ ...turn, attribution }))

  const page = renderEvaluation(reportOf([{ trace, score: { ...score, turns, attribution } }])).html

  expect(page).toContain('<span lang="en">setup (our own settings, not the model)</span>')
  expect(page).toContain('<span lang="zh">评测设置 setup（与模型无关）</span>')
  expect(page).toContain('set --max-tokens 1024')
  expect(page).toContain('评测的设置弄坏的')
})
