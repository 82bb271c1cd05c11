import { breakageText, comparisonText, priceOf, verdictText, visiblePoints } from '@callspec/eval'
import type { Beaten, Breakage, Conclusion, FormatComparison, SummaryRow, FormatVerdict } from '@callspec/eval'
import type { Words } from '../words.ts'
import { differenceInChinese, sizeInChinese } from './test-in-chinese.ts'
import { causeInChinese, WHOSE_IN_CHINESE } from './names.ts'

/** The conclusion of a model in one sentence; the English one is that of the terminal and of `report.md`. */
export function verdictWords(verdict: FormatVerdict): Words {
  return { en: verdictText(verdict), zh: verdictInChinese(verdict) }
}

/** What breaks most, and whose it is. */
export function breakageWords(breakage: Conclusion['breaks']): Words {
  return { en: breakageText(breakage), zh: breakage === null ? '没有' : breakageInChinese(breakage) }
}

/** Which of two formats solves more tasks; of a comparison that shows a difference. */
export function comparisonWords(comparison: FormatComparison): Words {
  const { left, right, tests } = comparison
  const test = tests.find(({ metric }) => metric === 'task_success')
  const [winner, loser] = test?.favours === 'right' ? [right, left] : [left, right]
  const zh = test === undefined ? '' : `${winner} 的成功率比 ${loser} 高 ${differenceInChinese(test)}。`
  return { en: comparisonText(comparison) ?? '', zh }
}

function verdictInChinese(verdict: FormatVerdict): string {
  switch (verdict.kind) {
    case 'nothing':
      return '没有任何一次运行得到模型的回复。'
    case 'alone': {
      const { rate, hits, of } = verdict.row.rates.task_success
      return `只测了 ${verdict.row.protocol}：成功率 ${((rate ?? 0) * 100).toFixed(1)} %，${of} 次中的 ${hits} 次。`
    }
    case 'level':
      return `没有看出格式之间的差别：${levelInChinese(verdict)}。`
    default: {
      const { best, over, level } = verdict
      const beaten = over.map(({ row, test }: Beaten) => `比 ${row.protocol} 高 ${differenceInChinese(test)}`)
      const told = level.length === 0 ? '' : `；与 ${level.map(({ protocol }) => protocol).join('、')} 没有看出差别`
      const others = over.map(({ row }) => row)
      return `${best.protocol} 的成功率${beaten.join('，')}，${priceInChinese(best, others)}${told}。`
    }
  }
}

function levelInChinese({ test, visible }: Extract<FormatVerdict, { kind: 'level' }>): string {
  if (test === null || test.tasks === 0) return '没有共同的任务'
  const size = sizeInChinese(test)
  if (visible === null) return `${size}；任务太少，任何差别都看不出来`
  return `${size}；${visiblePoints(visible)} 个百分点的差别，5 次这样的运行中有 4 次能看出来`
}

function priceInChinese(best: SummaryRow, others: readonly SummaryRow[]): string {
  const price = priceOf(best, others)
  switch (price.unit) {
    case 'money':
      return `每次成功的费用为 ${price.own}，对方为 ${price.others.join('、')}`
    case 'tokens':
      return `每次运行 ${price.own} 个 token，对方为 ${price.others.join('、')}`
    default:
      return '费用未知'
  }
}

function breakageInChinese(breakage: Breakage): string {
  const { of, count, failed, most, equals } = breakage
  const what = of === 'episodes' ? '次失败的运行' : '次有问题的回复'
  const told = `${blamedInChinese(breakage)}：${failed} ${what}中有 ${count} 次`
  const where = 2 * most.count <= count ? '' : `，其中 ${most.count} 次是 ${most.protocol}`
  return `${told}${where}${equals.length === 0 ? '' : `；同样多的还有${equals.map(blamedInChinese).join('、')}`}`
}

function blamedInChinese(cause: Pick<Breakage, 'blames' | 'rule' | 'detail'>): string {
  return `${causeInChinese(cause)}（${WHOSE_IN_CHINESE[cause.blames]}）`
}
