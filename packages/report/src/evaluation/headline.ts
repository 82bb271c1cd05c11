import { comparisonText, triesText } from '@callspec/eval'
import type { EvalSummary, PairedTest, ProtocolComparison, SummaryRow } from '@callspec/eval'
import type { Words } from '../words.ts'

/** The four sentences at the top of the page, for one model. */
export interface Headline {
  readonly model: string
  readonly which: Words
  readonly howMuch: Words
  readonly howCertain: Words
  readonly breaks: Words
}

/** What the first three sentences rest on: the best protocol by task success against the next one. */
export interface Contest {
  readonly kind: 'winner' | 'level' | 'too-few' | 'alone' | 'nothing'
  readonly best: SummaryRow | null
  readonly next: SummaryRow | null
  /** Best minus next; null when they were not paired. */
  readonly test: PairedTest | null
}

/**
 * What a reader wants to know first, in whole sentences made from the summary alone. A difference is only called one when its
 * p value, adjusted over all that are shown, is below 0.05.
 */
export function headlines(summary: EvalSummary): readonly Headline[] {
  const models = [...new Set(summary.rows.map(({ model }) => model))]
  return models.map((model) => {
    const rows = summary.rows.filter((row) => row.model === model)
    const contest = contestOf(rows, summary.comparisons)
    return {
      model,
      which: whichProtocol(contest),
      howMuch: byHowMuch(
        contest,
        summary.comparisons.filter((each) => each.model === model),
      ),
      howCertain: howCertain(contest),
      breaks: whatBreaks(rows),
    }
  })
}

/** Finds the best two rows of a model and the test between them. */
function contestOf(rows: readonly SummaryRow[], comparisons: readonly ProtocolComparison[]): Contest {
  const ranked = rows
    .filter(({ rates }) => rates.task_success.rate !== null)
    .toSorted((one, other) => (other.rates.task_success.rate ?? 0) - (one.rates.task_success.rate ?? 0))
  const [best = null, next = null] = ranked
  if (best === null) return { kind: 'nothing', best, next, test: null }
  if (next === null) return { kind: 'alone', best, next, test: null }
  const test = testBetween(best, next, comparisons)
  if (test?.isShown === true) return { kind: 'winner', best, next, test }
  return { kind: isTooSmall(test) ? 'too-few' : 'level', best, next, test }
}

/** So few tasks that even a difference of ten points could not have been shown. */
function isTooSmall(test: PairedTest | null): boolean {
  if (test === null || test.tasks < FEWEST_TASKS) return true
  const [from, to] = test.interval ?? [-1, 1]
  return to - from > 2 * WIDE
}

const FEWEST_TASKS = 20
const WIDE = 0.1

function testBetween(
  best: SummaryRow,
  next: SummaryRow,
  comparisons: readonly ProtocolComparison[],
): PairedTest | null {
  for (const { model, left, right, tests } of comparisons) {
    if (model !== best.model) continue
    const test = tests.find(({ metric }) => metric === 'task_success') ?? null
    if (test === null) continue
    if (left === best.protocol && right === next.protocol) return test
    if (left === next.protocol && right === best.protocol) return turned(test)
  }
  return null
}

/** The same test seen from the other side. */
function turned(test: PairedTest): PairedTest {
  const { left, right, effect, interval, discordant, favours } = test
  return {
    ...test,
    left: right,
    right: left,
    effect: effect === null ? null : -effect,
    interval: interval === null ? null : [-interval[1], -interval[0]],
    discordant: { left: discordant.right, right: discordant.left },
    favours: favours === null ? null : favours === 'left' ? 'right' : 'left',
  }
}

function whichProtocol({ kind, best, next }: Contest): Words {
  if (best === null) return { en: 'No episode reached the model.', zh: '没有任何一次运行得到模型的回复。' }
  const [solved, other] = [share(best.rates.task_success.rate), share(next?.rates.task_success.rate ?? null)]
  switch (kind) {
    case 'winner':
      return {
        en: `${best.protocol}: it solved ${solved} of the tasks, more than ${next?.protocol ?? ''} with ${other}.`,
        zh: `${best.protocol}：完成了 ${solved} 的任务，多于 ${next?.protocol ?? ''} 的 ${other}。`,
      }
    case 'alone':
      return {
        en: `Only ${best.protocol} was run: it solved ${solved} of the tasks.`,
        zh: `只测了 ${best.protocol}：完成了 ${solved} 的任务。`,
      }
    case 'too-few':
      return {
        en: `Too few episodes to choose: ${best.protocol} solved ${solved}, ${next?.protocol ?? ''} ${other}.`,
        zh: `样本太少，无法选择：${best.protocol} 完成 ${solved}，${next?.protocol ?? ''} 完成 ${other}。`,
      }
    default:
      return {
        en: `No difference is shown: ${best.protocol} solved ${solved} of the tasks, ${next?.protocol ?? ''} ${other}.`,
        zh: `没有看出差别：${best.protocol} 完成 ${solved} 的任务，${next?.protocol ?? ''} 完成 ${other}。`,
      }
  }
}

/** The sentences of the terminal and of `report.md`, about all protocols that differ; without any, the best two. */
function byHowMuch({ test, next }: Contest, comparisons: readonly ProtocolComparison[]): Words {
  const shown = comparisons.filter((comparison) => comparisonText(comparison) !== null)
  if (shown.length > 0)
    return {
      en: shown.map(comparisonText).join(' '),
      zh: shown.map(comparisonInChinese).join(''),
    }
  const { effect = null, interval = null } = test ?? {}
  if (effect === null || interval === null || next === null)
    return { en: 'There is nothing to compare it with.', zh: '没有可比较的对象。' }
  const [size, low, high] = [effect, ...interval].map(points)
  return {
    en: `By ${size} points over ${next.protocol}, which is not shown (95 %: ${low} to ${high}).`,
    zh: `比 ${next.protocol} 高 ${size} 个百分点，但不足以证明有差别（95 %：${low} 到 ${high}）。`,
  }
}

function comparisonInChinese({ left, right, tests }: ProtocolComparison): string {
  const own = tests.find(({ metric }) => metric === 'task_success')
  if (own === undefined) return ''
  const test = own.favours === 'right' ? turned(own) : own
  const [winner, loser] = own.favours === 'right' ? [right, left] : [left, right]
  const ends = (test.interval ?? []).map(points).join(' 到 ')
  const tries = test.tries.filter((count, at) => at === 0 || count !== test.tries[0]).join('–')
  return `${winner} 的成功率比 ${loser} 高 ${points(test.effect ?? 0)} 个百分点（95 %：${ends}；Holm 校正后 p ${probability(test.adjustedP ?? 1)}，${test.tasks} 个任务 × ${tries} 次）。`
}

function howCertain({ kind, best, next, test }: Contest): Words {
  if (test === null || test.adjustedP === null) return { en: 'Nothing was tested.', zh: '没有做检验。' }
  const { tasks, discordant } = test
  const p = probability(test.adjustedP)
  const [one, other] = [best?.protocol ?? '', next?.protocol ?? '']
  const counted = {
    en: `Over ${triesText(test)}, ${discordant.left} tasks were solved more often with ${one} and ${discordant.right} with ${other} (exact sign-flip test by task, Holm over all comparisons of this page: p ${p}).`,
    zh: `${tasks} 个任务中，${discordant.left} 个用 ${one} 完成得更多，${discordant.right} 个用 ${other} 完成得更多（按任务的精确符号翻转检验，对本页所有比较做 Holm 校正：p ${p}）。`,
  }
  if (kind !== 'too-few') return counted
  return {
    en: `${counted.en} More tasks or seeds are needed: a difference of ten points could not have been seen.`,
    zh: `${counted.zh}需要更多任务或样本：十个百分点的差别也看不出来。`,
  }
}

/** Turn labels and ends that say that nothing is wrong. */
const FINE: ReadonlySet<string> = new Set(['well_formed', 'final_answer', 'no_tool_stop', 'no_tool_text', 'recovered'])

function whatBreaks(rows: readonly SummaryRow[]): Words {
  const turn = mostFrequent(rows.map(({ strict }) => strict))
  const end = mostFrequent(rows.map(({ ends }) => ends))
  const turns = rows.reduce((sum, row) => sum + row.turns, 0)
  const episodes = rows.reduce((sum, row) => sum + row.episodes, 0)
  if (turn === null && end === null)
    return { en: 'Nothing: every turn and every end was fine.', zh: '没有：所有回复和结束方式都正常。' }
  const en = [
    turn === null ? '' : `${turn.name} in ${turn.count} of ${turns} turns`,
    end === null ? '' : `${end.name} at the end of ${end.count} of ${episodes} episodes`,
  ]
  const zh = [
    turn === null ? '' : `${turns} 次回复中有 ${turn.count} 次 ${turn.name}`,
    end === null ? '' : `${episodes} 次运行中有 ${end.count} 次以 ${end.name} 结束`,
  ]
  const list = (parts: readonly string[], between: string): string => parts.filter((part) => part !== '').join(between)
  return { en: `${list(en, ', and ')}.`, zh: `${list(zh, '，')}。` }
}

function mostFrequent(
  all: readonly Readonly<Partial<Record<string, number>>>[],
): { readonly name: string; readonly count: number } | null {
  const sums = new Map<string, number>()
  for (const counts of all)
    for (const [name, count = 0] of Object.entries(counts))
      if (!FINE.has(name)) sums.set(name, (sums.get(name) ?? 0) + count)
  const [first] = [...sums].filter(([, count]) => count > 0).toSorted(([, one], [, other]) => other - one)
  return first === undefined ? null : { name: first[0], count: first[1] }
}

function share(rate: number | null): string {
  return rate === null ? '—' : `${(rate * 100).toFixed(1)} %`
}

function points(value: number): string {
  return (value * 100).toFixed(1)
}

function probability(p: number): string {
  if (p < 0.001) return '< 0.001'
  return p >= 0.9995 ? '= 1' : `= ${p.toFixed(3)}`
}
