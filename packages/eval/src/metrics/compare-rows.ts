import type { EpisodeOutcome } from './outcome.ts'
import { pairUp } from './outcome.ts'
import type { PairedTest, RawTest, ComparedTasks, Try } from './paired-tests.ts'
import { adjustAll, pairedTests, figureOf, differencesOf } from './paired-tests.ts'
import type { DropSearch } from '../statistics/smallest-drop.ts'
import { smallestDrop } from '../statistics/smallest-drop.ts'
import { differInOne } from '../trace/eval-api.ts'
import type { FormatName } from '../trace/format-names.ts'

/** The smallest drop from right to left that four of five such comparisons show; see `smallestDrop`. */
export function smallestDropOf({ tasks }: ComparedTasks, search: Omit<DropSearch, 'denominator'>): number | null {
  return smallestDrop(
    tasks.map(({ left, right }) => ({ before: right, after: left })),
    { ...search, denominator: differencesOf(tasks).denominator },
  )
}

/**
 * The smallest difference of a share, either way, that four of five such comparisons show at this two-sided level. Where both sides
 * have less than half, it is the other half that is lost: from 10 % a share can rise by more than it can fall.
 *
 * @returns from 0 to 1; null where so few tasks cannot show any
 */
export function smallestDifference({ compared }: Pick<RawTest, 'compared'>, level: number): number | null {
  const { tasks } = compared
  const shares = tasks.flatMap(({ left, right }) => [figureOf(left), figureOf(right)])
  const isLow = shares.reduce((sum, share) => sum + share, 0) < shares.length / 2
  const turned = ([hits, of]: Try): Try => (isLow ? [of - hits, of] : [hits, of])
  return smallestDrop(
    tasks.map(({ left, right }) => ({ before: right.map(turned), after: left.map(turned) })),
    { tolerance: 0, level: level / 2, denominator: differencesOf(tasks).denominator },
  )
}

/** The episodes of one model under one format; asked for when they are compared. */
export interface RowOutcomes {
  readonly model: string
  readonly protocol: FormatName
  readonly outcomes: () => readonly EpisodeOutcome[]
  /** Whether all tries of every task replied alike, so that they count as one. */
  readonly isAlike?: boolean
}

/** What any two rows have in common. `tests` is in the order of `PAIRED_METRICS`; p values are adjusted over the whole summary. */
interface ComparedSides {
  /** Pairs that are left out because one side failed on the way to the server. */
  readonly broken: number
  readonly unpaired: number
  readonly tests: readonly PairedTest[]
}

/** Two formats of a model, or one format over two APIs. */
export interface FormatComparison extends ComparedSides {
  readonly model: string
  readonly left: FormatName
  readonly right: FormatName
}

/** Two models under one format. */
export interface ModelComparison extends ComparedSides {
  readonly protocol: FormatName
  readonly left: string
  readonly right: string
}

/** Every two rows of a run that differ in one thing. */
export interface RowComparisons {
  readonly comparisons: readonly FormatComparison[]
  readonly modelComparisons: readonly ModelComparison[]
}

/**
 * Every two formats of each model, every two APIs of each format, and every two models of each format, in the order of the rows. All their tests are one family:
 * p values are adjusted over them together.
 */
export function compareRows(rows: readonly RowOutcomes[]): RowComparisons {
  const all = rows.flatMap((left, at) =>
    rows
      .slice(at + 1)
      .filter(({ model, protocol }) =>
        model === left.model ? differInOne(protocol, left.protocol) : protocol === left.protocol,
      )
      .map((right) => ({ left, right })),
  )
  const raw = all.map(({ left, right }) => {
    const { pairs, broken, unpaired } = pairUp(left.outcomes(), right.outcomes())
    const isAlike = left.isAlike === true && right.isAlike === true
    return { left, right, broken, unpaired, isAlike, tests: pairedTests(pairs) }
  })
  const adjusted = adjustAll(raw.flatMap(({ tests }) => tests))
  let from = 0
  const compared = raw.map(({ isAlike, tests, ...sides }) => {
    const own = adjusted.slice(from, from + tests.length).map((test) => (isAlike ? asOneTry(test) : test))
    from += tests.length
    return { ...sides, raw: tests, tests: own }
  })
  const named = compared.map((each) => ({ ...each, tests: withSmallest(each, compared) }))
  return {
    comparisons: named
      .filter(({ left, right }) => left.model === right.model)
      .map(({ left, right, broken, unpaired, tests }) => ({
        ...{ model: left.model, left: left.protocol, right: right.protocol, broken, unpaired, tests },
      })),
    modelComparisons: named
      .filter(({ left, right }) => left.model !== right.model)
      .map(({ left, right, broken, unpaired, tests }) => ({
        ...{ protocol: left.protocol, left: left.model, right: right.model, broken, unpaired, tests },
      })),
  }
}

function asOneTry(test: PairedTest): PairedTest {
  return { ...test, tries: [Math.min(1, test.tries[0]), Math.min(1, test.tries[1])] }
}

interface Compared {
  readonly left: Pick<RowOutcomes, 'model'>
  readonly right: Pick<RowOutcomes, 'model'>
  readonly raw: readonly RawTest[]
  readonly tests: readonly PairedTest[]
}

/**
 * The tests, with the smallest difference of success that such a comparison shows: of the formats of a model where none is shown, in
 * the comparison whose tasks scatter like those of most.
 */
function withSmallest(one: Compared, all: readonly Compared[]): readonly PairedTest[] {
  const own = all.filter(({ left, right }) => left.model === one.left.model && right.model === one.left.model)
  if (own.some(({ tests }) => tests[0]?.isShown === true) || middleOf(own) !== one) return one.tests
  return one.tests.map((test, at) => {
    const raw = one.raw[at]
    return at > 0 || raw === undefined ? test : { ...test, smallest: smallestDifference(raw, test.level) }
  })
}

/** The one in the middle, by how far its tasks scatter; the first in a tie. */
function middleOf(compared: readonly Compared[]): Compared | undefined {
  const scatter = ({ raw }: Compared): number =>
    raw[0]?.compared.tasks.reduce((sum, task) => sum + spread(task), 0) ?? 0
  return compared.toSorted((one, other) => scatter(one) - scatter(other))[Math.floor(compared.length / 2)]
}

function spread({ left, right }: RawTest['compared']['tasks'][number]): number {
  return (figureOf(left) - figureOf(right)) ** 2
}
