import { pText, triesText } from '@callspec/eval'
import type { PairedTest } from '@callspec/eval'
import type { Words } from '../words.ts'

/** `42 tasks × 3 tries`. */
export function triesWords(test: Pick<PairedTest, 'tasks' | 'tries'>): Words {
  return { en: triesText(test), zh: `${sizeInChinese(test)} 次` }
}

/** `1.7 to 33.3`. */
export function rangeWords(ends: readonly string[]): Words {
  return { en: ends.join(' to '), zh: ends.join(' 到 ') }
}

/** `42 个任务 × 3`, `42 个任务 × 2 到 3`: what a test rests on. */
export function sizeInChinese({ tasks, tries: [fewest, most] }: Pick<PairedTest, 'tasks' | 'tries'>): string {
  return `${tasks} 个任务 × ${fewest === most ? most : `${fewest} 到 ${most}`}`
}

/** `16.7 个百分点（95 %：2.1 到 31.0；Holm 校正后 p = .014，42 个任务 × 3 次）`, whoever is better. */
export function differenceInChinese(test: PairedTest): string {
  const { effect, interval, adjustedP, favours } = test
  const sign = favours === 'right' ? -1 : 1
  const ends = (interval ?? []).map((end) => sign * end * 100).toSorted((one, other) => one - other)
  const range = ends.length === 0 ? '' : `95 %：${ends.map((end) => end.toFixed(1)).join(' 到 ')}；`
  const p = adjustedP === null ? '' : `Holm 校正后 ${pText(adjustedP)}，`
  return `${(Math.abs(effect ?? 0) * 100).toFixed(1)} 个百分点（${range}${p}${sizeInChinese(test)} 次）`
}
