import { differenceText, sizeOfTest, visiblePoints } from '@callspec/eval'
import type { ComparedFigure } from '@callspec/eval'
import { differenceInChinese, sizeInChinese } from '../evaluation/test-in-chinese.ts'
import { METRIC_NAMES } from '../metric-names.ts'
import type { Words } from '../words.ts'

/** What became of a figure, in one sentence: by how much it changed and how certain that is, or which change would have been found. */
export function changeWords(figure: ComparedFigure): Words {
  const { isShown, isShare, effect, left, right } = figure
  const metric = METRIC_NAMES[figure.metric]
  if (isShown && isShare) return shownWords(figure)
  if (isShown)
    return {
      en: `${metric.en} went from ${number(right)} to ${number(left)}.`,
      zh: `${metric.zh} 从 ${number(right)} 变为 ${number(left)}。`,
    }
  if (effect === null) return { en: `${metric.en}: nothing to compare.`, zh: `${metric.zh}：没有可比较的内容。` }
  const visible = isShare ? (figure.drop?.smallestChange(figure.level) ?? null) : null
  const en = visible === null ? '' : `; a change of ${visiblePoints(visible)} points would be found in 4 of 5 such runs`
  const zh = visible === null ? '' : `；${visiblePoints(visible)} 个百分点的变化，5 次这样的运行中有 4 次能看出来`
  return {
    en: `No change of ${metric.en} could be shown: ${sizeOfTest(figure)}${en}.`,
    zh: `没有看出 ${metric.zh} 的变化：${sizeInChinese(figure)}${zh}。`,
  }
}

function shownWords(figure: ComparedFigure): Words {
  const metric = METRIC_NAMES[figure.metric]
  const isHigher = (figure.effect ?? 0) > 0
  const test = { ...figure, favours: isHigher ? 'left' : 'right' } as const
  return {
    en: `${metric.en} ${isHigher ? 'rose' : 'fell'} by ${differenceText(test)}.`,
    zh: `${metric.zh} ${isHigher ? '上升' : '下降'}了 ${differenceInChinese(test)}。`,
  }
}

function number(value: number | null): string {
  return value === null ? '—' : value.toFixed(1)
}
