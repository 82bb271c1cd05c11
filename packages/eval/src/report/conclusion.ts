import type { Cause } from '../summary/causes.ts'
import { mergedCauses, sameCause } from '../summary/causes.ts'
import type { PairedTest } from '../metrics/paired-tests.ts'
import type { FormatComparison } from '../metrics/compare-rows.ts'
import type { EvalSummary } from '../summary/eval-summary.ts'
import type { SummaryRow } from '../summary/row.ts'
import { formatParts } from '../trace/eval-api.ts'
import { formatId } from '../trace/format-names.ts'
import { money, differenceText, sizeOfTest } from './format.ts'
import { causeName } from './names.ts'

/** The most frequent cause, over all formats of a model. */
export interface Breakage extends Pick<Cause, 'blames' | 'rule' | 'detail'> {
  /** Whether episodes are counted; else replies, since no episode failed. */
  readonly of: 'episodes' | 'turns'
  readonly count: number
  /** All failed ones of the same kind. */
  readonly failed: number
  /** The format with most of them, and how many. */
  readonly most: { readonly protocol: string; readonly count: number }
  /** Other causes with the same count. */
  readonly equals: readonly Pick<Cause, 'blames' | 'rule' | 'detail'>[]
}

/** The most frequent cause of failed episodes, or of faulty replies if no episode failed; null without either. */
export function breakageOf(rows: readonly SummaryRow[]): Breakage | null {
  return mostOf(rows, 'episodes') ?? mostOf(rows, 'turns')
}

function mostOf(rows: readonly SummaryRow[], of: Breakage['of']): Breakage | null {
  const causes = mergedCauses(rows.map(({ blame }) => blame))
  const [first, ...others] = causes.toSorted((one, other) => other[of] - one[of])
  if (first === undefined || first[of] === 0) return null
  const { blames, rule, detail } = first
  const most = rows
    .map(({ protocol, blame }) => ({ protocol, count: sameCause(first, blame.causes)?.[of] ?? 0 }))
    .reduce((one, other) => (other.count > one.count ? other : one))
  const failed = causes.reduce((sum, cause) => sum + cause[of], 0)
  const equals = others.filter((cause) => cause[of] === first[of])
  return { blames, rule, detail, of, count: first[of], failed, most, equals }
}

/** The result of one model, in the same sentences on the page, in the terminal and in `report.md`. */
export interface Conclusion {
  readonly model: string
  readonly isSimulated: boolean
  readonly verdict: FormatVerdict
  /** The most frequent cause; null if nothing failed. */
  readonly breaks: Breakage | null
}

/** Which format is the best one, as far as that is shown. */
export type FormatVerdict =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'alone'; readonly row: SummaryRow }
  | {
      readonly kind: 'level'
      /** Tasks and tries that such a comparison rests on; null where no task is shared. */
      readonly test: PairedTest | null
      /** A difference of this size between two formats is shown in four of five such runs; null where none is. */
      readonly visible: number | null
      /** Whether formats were asked over several APIs. */
      readonly hasApis: boolean
    }
  | {
      readonly kind: 'winner'
      readonly best: SummaryRow
      /** Formats that it is shown to beat, by how much: never empty. */
      readonly over: readonly Beaten[]
      /** Formats that are not shown to differ from it. */
      readonly level: readonly SummaryRow[]
      /** Differences that are shown between others. */
      readonly others: readonly FormatComparison[]
    }

/** A format that another one is shown to beat; the test is seen from the winner. */
export interface Beaten {
  readonly row: SummaryRow
  readonly test: PairedTest
}

/** Draws the conclusion for every model: real models first, then simulated ones, each in the order of the run. */
export function conclusionsOf(summary: Pick<EvalSummary, 'rows' | 'comparisons'>): readonly Conclusion[] {
  return realFirst([...new Set(summary.rows.map(({ model }) => model))]).map((model) => {
    const rows = summary.rows.filter((row) => row.model === model)
    const compared = summary.comparisons.filter((each) => each.model === model)
    return { model, isSimulated: isSimulated(model), verdict: verdictOf(rows, compared), breaks: breakageOf(rows) }
  })
}

/** Models in their order, the simulated ones last. */
export function realFirst(models: readonly string[]): readonly string[] {
  return [...models.filter((model) => !isSimulated(model)), ...models.filter(isSimulated)]
}

function isSimulated(model: string): boolean {
  return model.startsWith('sim/')
}

function verdictOf(rows: readonly SummaryRow[], comparisons: readonly FormatComparison[]): FormatVerdict {
  const judged = rows.filter(({ rates }) => rates.task_success.rate !== null)
  const [only] = judged
  if (only === undefined) return { kind: 'nothing' }
  if (judged.length === 1) return { kind: 'alone', row: only }
  const tested = comparisons.flatMap((comparison) => {
    const test = comparison.tests.find(({ metric }) => metric === 'task_success')
    return test === undefined ? [] : [{ comparison, test }]
  })
  const shown = tested.filter(({ test }) => test.isShown && test.favours !== null)
  const best = winnerOf(judged, shown)
  if (best === null)
    return { ...levelOf(tested.map(({ test }) => test)), hasApis: formatParts(only.protocol).api !== null }
  const over = judged.flatMap((row): readonly Beaten[] => {
    const test = testBetween(best, row, shown)
    return test?.favours === 'left' ? [{ row, test }] : []
  })
  return {
    ...{ kind: 'winner', best, over },
    level: judged.filter(
      (row) => row !== best && testBetween(best, row, tested) !== null && testBetween(best, row, shown) === null,
    ),
    others: shown
      .map(({ comparison }) => comparison)
      .filter(({ left, right }) => ![left, right].includes(best.protocol)),
  }
}

interface Tested {
  readonly comparison: FormatComparison
  readonly test: PairedTest
}

/** The format with the fewest shown defeats, then the most shown wins, then the most solved tasks; null without any win. */
function winnerOf(rows: readonly SummaryRow[], shown: readonly Tested[]): SummaryRow | null {
  const won = ({ protocol }: SummaryRow): number => shown.filter((each) => winnerAndLoser(each)[0] === protocol).length
  const lost = ({ protocol }: SummaryRow): number => shown.filter((each) => winnerAndLoser(each)[1] === protocol).length
  const solved = ({ rates }: SummaryRow): number => rates.task_success.rate ?? 0
  const [first] = rows
    .filter((row) => won(row) > 0)
    .toSorted((one, other) => lost(one) - lost(other) || won(other) - won(one) || solved(other) - solved(one))
  return first ?? null
}

function winnerAndLoser({ comparison: { left, right }, test }: Tested): readonly [winner: string, loser: string] {
  return test.favours === 'left' ? [left, right] : [right, left]
}

/** A shown test between two rows, seen from the first one. */
function testBetween(row: SummaryRow, other: SummaryRow, shown: readonly Tested[]): PairedTest | null {
  for (const { comparison, test } of shown) {
    const { left, right } = comparison
    if (left === row.protocol && right === other.protocol) return test
    if (left === other.protocol && right === row.protocol) return mirroredTest(test)
  }
  return null
}

/** The same test seen from the other side. */
function mirroredTest(test: PairedTest): PairedTest {
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

/** One of the tests says what such runs can show. */
function levelOf(tests: readonly PairedTest[]): Omit<Extract<FormatVerdict, { kind: 'level' }>, 'hasApis'> {
  const test = tests.find(({ smallest }) => smallest !== undefined) ?? tests[0] ?? null
  return { kind: 'level', test, visible: test?.smallest ?? null }
}

/**
 * The conclusion in one line: the winner, by how much, how certain, at what cost; or that no difference is shown, and which
 * one would be found.
 */
export function verdictText(verdict: FormatVerdict): string {
  switch (verdict.kind) {
    case 'nothing':
      return 'No episode reached the model.'
    case 'alone':
      return `Only ${formatId(verdict.row.protocol)} was run: ${solvedText(verdict.row)}.`
    case 'level':
      return `No format ${verdict.hasApis ? 'or API ' : ''}is shown to be better${levelText(verdict)}.`
    default: {
      const { best, over, level } = verdict
      const beaten = over.map(({ row, test }) => `${formatId(row.protocol)} on success by ${differenceText(test)}`)
      const equal =
        level.length === 0
          ? ''
          : `; no difference shown to ${level.map(({ protocol }) => formatId(protocol)).join(', ')}`
      return `${formatId(best.protocol)} beats ${beaten.join(', ')}, ${priceText(
        best,
        over.map(({ row }) => row),
      )}${equal}.`
    }
  }
}

/** `Most failures: a tool that is not offered (model), 12 of 36 failed episodes, 9 of them with react.` */
export function breakageText(breakage: Breakage | null): string {
  if (breakage === null) return 'Nothing failed.'
  const { of, count, failed, most, equals } = breakage
  const [head, what] = of === 'episodes' ? ['Most failures', 'failed episodes'] : ['Most faults', 'faulty replies']
  const share = `${head}: ${blamedCause(breakage)}, ${count} of ${failed} ${what}`
  // A cause that is spread evenly belongs to no format.
  const where =
    2 * most.count <= count
      ? ''
      : `, ${most.count === count ? '' : `${most.count} of them `}with ${formatId(most.protocol)}`
  return `${share}${where}${equals.length === 0 ? '' : `; as often ${equals.map(blamedCause).join(', ')}`}.`
}

function blamedCause(cause: Pick<Breakage, 'blames' | 'rule' | 'detail'>): string {
  return `${causeName(cause)} (${cause.blames})`
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

/** A price in words. */
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
  if (test === null || test.tasks === 0) return ': they share no task'
  const size = ` (${sizeOfTest(test)}).`
  if (visible === null) return `${size} These are too few to find any difference`
  return `${size} A difference of ${visiblePoints(visible)} points would be found in 4 of 5 such runs`
}
