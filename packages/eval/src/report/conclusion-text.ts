import { formatId } from '../trace/format-names.ts'
import type { SummaryRow } from '../summary/row.ts'
import type { Breakage, FormatVerdict } from './conclusion.ts'
import { money } from './format.ts'
import { causeName, WHOSE } from './names.ts'
import { differenceText, sizeOfTest } from './sentences.ts'

/**
 * The conclusion in one line: the winner, by how much, how certain, at what cost; or that no difference could be shown, and
 * which would have been. One sentence, with a full stop.
 */
export function verdictText(verdict: FormatVerdict): string {
  switch (verdict.kind) {
    case 'nothing':
      return 'No episode reached the model.'
    case 'alone':
      return `Only ${formatId(verdict.row.protocol)} was run: ${solvedText(verdict.row)}.`
    case 'level':
      return `No difference between formats could be shown: ${levelText(verdict)}.`
    default: {
      const { best, over, level } = verdict
      const beaten = over.map(({ row, test }) => `${formatId(row.protocol)} on success by ${differenceText(test)}`)
      const told =
        level.length === 0
          ? ''
          : `; not told apart from it: ${level.map(({ protocol }) => formatId(protocol)).join(', ')}`
      return `${formatId(best.protocol)} beats ${beaten.join(', ')}, ${priceText(
        best,
        over.map(({ row }) => row),
      )}${told}.`
    }
  }
}

/** `a tool that is not offered (the model's): 12 of 36 failed episodes, 9 of them with react`. */
export function breakageText(breakage: Breakage | null): string {
  if (breakage === null) return 'nothing'
  const { of, count, failed, most, equals } = breakage
  const what = of === 'episodes' ? 'failed episodes' : 'faulty replies'
  const told = `${blamedCause(breakage)}: ${count} of ${failed} ${what}`
  // A cause that is spread evenly belongs to no format.
  const where =
    2 * most.count <= count
      ? ''
      : `, ${most.count === count ? '' : `${most.count} of them `}with ${formatId(most.protocol)}`
  return `${told}${where}${equals.length === 0 ? '' : `; as often ${equals.map(blamedCause).join(', ')}`}`
}

function blamedCause(cause: Pick<Breakage, 'blames' | 'rule' | 'detail'>): string {
  return `${causeName(cause)} (${WHOSE[cause.blames]})`
}

/** Rounded up: nothing below is promised. */
export function visiblePoints(share: number): number {
  return Math.ceil(share * 100 - 1e-9)
}

/** What the best format costs, and the others: money where prices are known, else tokens where these are. */
export function priceOf(best: SummaryRow, others: readonly SummaryRow[]): ToldPrice {
  const rows = [best, ...others]
  for (const [unit, figure] of [
    ['money', 'cost_per_success'],
    ['tokens', 'tokens_per_episode'],
  ] as const) {
    const values = rows.map(({ figures }) => figures[figure])
    const [own, ...rest] = values.filter((value) => value !== null)
    if (own === undefined || rest.length < others.length) continue
    const text = unit === 'money' ? money : (value: number): string => value.toFixed(0)
    return { unit, own: text(own), others: rest.map(text) }
  }
  return { unit: 'unknown' }
}

/** A price to be said. */
export type ToldPrice =
  | { readonly unit: 'money' | 'tokens'; readonly own: string; readonly others: readonly string[] }
  | { readonly unit: 'unknown' }

function priceText(best: SummaryRow, others: readonly SummaryRow[]): string {
  const price = priceOf(best, others)
  switch (price.unit) {
    case 'money':
      return `at a cost of ${price.own} per success against ${price.others.join(' and ')}`
    case 'tokens':
      return `at ${price.own} tokens per episode against ${price.others.join(' and ')}`
    default:
      return 'at an unknown cost'
  }
}

function solvedText({ rates: { task_success: success } }: SummaryRow): string {
  return `${((success.rate ?? 0) * 100).toFixed(1)} % solved, ${success.hits} of ${success.of}`
}

function levelText({ test, visible }: Extract<FormatVerdict, { kind: 'level' }>): string {
  if (test === null || test.tasks === 0) return 'they share no task'
  if (visible === null) return `${sizeOfTest(test)}; so few could not show any`
  return `${sizeOfTest(test)}; a difference of ${visiblePoints(visible)} points would be found in 4 of 5 such runs`
}
