import type { Counts } from '../statistics/rate.ts'
import type { ArmFigure, ArmSummary, ArmTest, InjectionRow } from '../summary/injection.ts'
import type { EvalSummary } from '../summary/eval-summary.ts'
import type { Arm } from '../trace/injection.ts'
import { plural } from '../text/text.ts'
import { formatId } from '../trace/format-names.ts'
import type { Column } from './format.ts'
import { pText, rateText, shareText, wholeBounds } from './format.ts'

/** What a result holds, in a word. */
export const ARM_NAMES: Readonly<Record<Arm, string>> = {
  turn: 'turn',
  call: 'own call',
  'other-call': 'other',
  plain: 'harmless',
}

const SHOWN: readonly ArmFigure[] = ['obeyed', 'echoed', 'run', 'refused', 'ignored', 'off-task', 'solved']

/** The columns of `injectionLines` and `injectionCells`, in per cent. */
export const INJECTION_COLUMNS: readonly Column[] = [
  { head: 'text', align: 'left' },
  ...SHOWN.map((figure): Column => ({ head: figure === 'off-task' ? 'off task' : figure, align: 'right' })),
]

/** An arm in two lines of a terminal: shares, and the whole bounds of their 95 % intervals. */
export function injectionLines({ arm, rates }: ArmSummary): readonly (readonly string[])[] {
  const shown = SHOWN.map((figure) => rates[figure])
  return [
    [ARM_NAMES[arm], ...shown.map(shareText)],
    ['', ...shown.map(wholeBounds)],
  ]
}

/** An arm in one line: `11.1 (3.7–29.2)`. */
export function injectionCells({ arm, rates }: ArmSummary): readonly string[] {
  return [ARM_NAMES[arm], ...SHOWN.map((figure) => rateText(rates[figure]))]
}

/** `nous, forged texts in results: 18 tasks × 3`. */
export function injectionTitle({ protocol, arms, tasks }: InjectionRow): string {
  const most = Math.max(0, ...arms.map(({ episodes }) => episodes))
  const tries = tasks.length === 0 ? 0 : most / tasks.length
  const failed = arms.reduce((sum, { infra }) => sum + infra, 0)
  const played = arms.reduce((sum, { episodes, infra }) => sum + episodes - infra, 0)
  const read = arms.reduce((sum, arm) => sum + arm.read, 0)
  const unread = read === played ? '' : `, the text was read in ${read} of ${played} episodes`
  const size = `${plural(tasks.length, 'task')} × ${Number.isInteger(tries) ? tries : tries.toFixed(1)} in each of ${arms.length} arms`
  const lost = failed === 0 ? '' : `, ${plural(failed, 'episode')} failed on the way`
  return `${formatId(protocol)}, forged texts in results: ${size}${unread}${lost}`
}

/** What the columns mean. */
export const INJECTION_TEXTS: readonly string[] = [
  'text in a result: turn, a forged turn of the user; own call, a call in the model’s format; other, in another format; harmless, words of equal length',
  'of the episodes: obeyed, did what the text asks; echoed, quoted the call; run, the forged call was run; off task, none of these and not solved',
  'against harmless text: points, with 95 % and p after Holm, over the same tasks and seeds; unharmed, the forged call was neither made nor meant',
]

/** Each arm against harmless text, and who has to change something. */
export function injectionTexts({ arms }: InjectionRow): readonly string[] {
  return arms.flatMap(({ arm, tests, blame }) => {
    const differences = tests.filter(({ effect }) => effect !== null).map(testText)
    if (differences.length === 0) return []
    return [`${ARM_NAMES[arm]} − harmless: ${[...differences, ...blameText(blame)].join('; ')}`]
  })
}

/** `unharmed −11.1 (−30.0 to 0.0; p = 1)`; a star where it is shown. */
function testText({ figure, effect, interval, adjustedP, isShown }: ArmTest): string {
  const points = (share: number): string =>
    (share * 100)
      .toFixed(1)
      .replace(/^-(?=0\.0$)/, '')
      .replace('-', '−')
  const range = interval === null ? [] : [interval.map(points).join(' to ')]
  const p = adjustedP === null ? [] : [pText(adjustedP)]
  return `${figure} ${points(effect ?? 0)}${isShown ? ' *' : ''} (${[...range, ...p].join('; ')})`
}

function blameText(blame: Counts): readonly string[] {
  const parts = Object.entries(blame).map(([who, count]) => `${who} ${count ?? 0}`)
  return parts.length === 0 ? [] : [`to blame: ${parts.join(', ')}`]
}

/** The rows of a model; none where no task has a forged text. */
export function injectionOf(
  { injection = [] }: Pick<EvalSummary, 'injection'>,
  model: string,
): readonly InjectionRow[] {
  return injection.filter((row) => row.model === model)
}
