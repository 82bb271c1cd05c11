import { changeOf, dropTestOf } from './change.ts'
import type { ChangeKind, DropTest } from './change.ts'
import { matchRows, rowsOf } from './match-rows.ts'
import type { OutcomeRow } from './match-rows.ts'
import { pairUp } from '../paired/pair.ts'
import { adjustAll, pairedTests } from '../paired/paired-tests.ts'
import type { PairedTest } from '../paired/paired-tests.ts'
import type { RunFacts } from '../trace/run-manifest.ts'
import type { EpisodeOutcome } from '../paired/outcome.ts'

/** What only one of two runs has of a row. */
export interface Missing {
  readonly before: OneSided
  readonly after: OneSided
}

/** Tasks, and seeds, that the other side has nowhere. */
export interface OneSided {
  readonly tasks: readonly string[]
  readonly seeds: readonly number[]
}

/** Compares which tasks and which seeds two sides have. */
export function missingOf(before: readonly EpisodeOutcome[], after: readonly EpisodeOutcome[]): Missing {
  return { before: oneSided(before, after), after: oneSided(after, before) }
}

function oneSided(own: readonly EpisodeOutcome[], others: readonly EpisodeOutcome[]): OneSided {
  const [tasks, seeds] = [new Set(others.map(({ task }) => task)), new Set(others.map(({ sample }) => sample))]
  return {
    tasks: [...new Set(own.map(({ task }) => task))].filter((task) => !tasks.has(task)),
    seeds: [...new Set(own.map(({ sample }) => sample))]
      .filter((seed) => !seeds.has(seed))
      .toSorted((one, other) => one - other),
  }
}

/** One side of a comparison: a run, or a blessed baseline. */
export interface RunSide {
  readonly run: RunFacts
  readonly scorer: string
  readonly outcomes: readonly EpisodeOutcome[]
}

/** A figure of two runs. `left` of the test is after, `right` before. */
export interface ComparedFigure extends PairedTest {
  readonly change: ChangeKind
  /** What a gate asks of a share; null for means. */
  readonly drop: DropTest | null
}

/** A model under a format, before and after. */
export interface ComparedRow {
  readonly before: RowName
  readonly after: RowName
  /** Pairs that are left out because one side failed on the way to the server. */
  readonly broken: number
  /** Episodes that only one side has. */
  readonly unpaired: number
  /** Tasks and seeds that only one side has. */
  readonly missing: Missing
  readonly figures: readonly ComparedFigure[]
  /** Tasks that one side solves more often than the other, by how many tries. */
  readonly tasks: readonly TaskChange[]
}

/** Names a row. */
export interface RowName {
  readonly model: string
  readonly protocol: string
}

/** A row that the other run does not have. */
export interface LoneRow extends RowName {
  readonly episodes: number
}

/** Successes of one task, of so many pairs. */
export interface TaskChange {
  readonly task: string
  readonly before: number
  readonly after: number
  readonly pairs: number
}

/** Something that keeps two runs from being compared, or that a reader must know. */
export interface Obstacle {
  /** `refuse`: the figures would mean different things; a caller may force it. */
  readonly kind: 'refuse' | 'warn'
  readonly text: string
}

/** The results of a run. */
export interface RunComparison {
  readonly before: RunFacts
  readonly after: RunFacts
  readonly obstacles: readonly Obstacle[]
  readonly rows: readonly ComparedRow[]
  readonly onlyBefore: readonly LoneRow[]
  readonly onlyAfter: readonly LoneRow[]
}

/**
 * Compares two runs pair by pair: the same task with the same seed, under the same format. P values are adjusted over
 * everything that is compared.
 *
 * @param tolerance how much worse a share may be before it counts as regressed
 */
export function compareRuns(
  before: RunSide,
  after: RunSide,
  { tolerance = 0 }: { readonly tolerance?: number } = {},
): RunComparison {
  const { matched, onlyBefore, onlyAfter } = matchRows(rowsOf(before.outcomes), rowsOf(after.outcomes))
  const raw = matched.map(({ before: old, after: fresh }) => {
    const { pairs, broken, unpaired } = pairUp(fresh.outcomes, old.outcomes)
    const missing = missingOf(old.outcomes, fresh.outcomes)
    return { before: nameOf(old), after: nameOf(fresh), broken, unpaired, missing, pairs, tests: pairedTests(pairs) }
  })
  const adjusted = adjustAll(raw.flatMap(({ tests }) => tests))
  let from = 0
  const rows = raw.map(({ tests, pairs, ...row }): ComparedRow => {
    const figures = adjusted
      .slice(from, from + tests.length)
      .map((test, at) => ({ ...test, change: changeOf(test, tolerance), drop: dropTestOf(tests[at]) }))
    from += tests.length
    const tasks = tasksOf(
      pairs.map(({ left, right }) => ({ task: left.task, before: right.success, after: left.success })),
    )
    return { ...row, figures, tasks }
  })
  return {
    before: before.run,
    after: after.run,
    obstacles: obstaclesOf(before, after),
    rows,
    onlyBefore: onlyBefore.map(loneRow),
    onlyAfter: onlyAfter.map(loneRow),
  }
}

function nameOf({ model, protocol }: OutcomeRow): RowName {
  return { model, protocol }
}

function loneRow(row: OutcomeRow): LoneRow {
  return { ...nameOf(row), episodes: row.outcomes.length }
}

function tasksOf(
  pairs: readonly { readonly task: string; readonly before: boolean; readonly after: boolean }[],
): readonly TaskChange[] {
  const tasks = new Map<string, TaskChange>()
  for (const { task, before, after } of pairs) {
    const known = tasks.get(task) ?? { task, before: 0, after: 0, pairs: 0 }
    const counted = {
      before: known.before + Number(before),
      after: known.after + Number(after),
      pairs: known.pairs + 1,
    }
    tasks.set(task, { task, ...counted })
  }
  return [...tasks.values()]
    .filter((change) => change.before !== change.after)
    .sort((one, other) => one.after - one.before - (other.after - other.before))
}

function obstaclesOf({ run: before, scorer }: RunSide, { run: after, scorer: later }: RunSide): readonly Obstacle[] {
  const differs = (what: string, one: string | boolean, other: string | boolean): readonly Obstacle[] =>
    one === other ? [] : [{ kind: 'warn', text: `${what}: ${one} before, ${other} after` }]
  return [
    ...suiteObstacles(before.suite, after.suite),
    ...editedObstacles(before, after),
    ...differs('scorer', scorer, later),
    ...differs('stop words', before.stops, after.stops),
    ...differs('api', before.api, after.api),
    ...differs('prompt', before.prompt ?? 'maker', after.prompt ?? 'maker'),
    ...differs('streamed', before.stream, after.stream),
    ...(before.shard === null && after.shard === null
      ? []
      : [{ kind: 'warn', text: 'one of the two is a part of a run: merge all parts first' } as const]),
  ]
}

/** Edits are reported for each side; missing check sums are reported once. */
function editedObstacles(before: RunFacts, after: RunFacts): readonly Obstacle[] {
  const edits = [['before', before.edited ?? []] as const, ['after', after.edited ?? []] as const]
  const unsealed = [...(before.isUnsealed === true ? ['before'] : []), ...(after.isUnsealed === true ? ['after'] : [])]
  return [
    ...edits.flatMap(([side, [first]]) =>
      first === undefined
        ? []
        : [{ kind: 'warn', text: `the files of ${side} were changed by hand: ${first}` } as const],
    ),
    ...(unsealed.length === 0
      ? []
      : [
          { kind: 'warn', text: `no check sums in ${unsealed.join(' and ')}: changes by hand cannot be seen` } as const,
        ]),
  ]
}

/** A task that asks something else is another task. A changed verdict raises the minor number of a suite's version, a changed question the major one. */
function suiteObstacles(before: RunFacts['suite'], after: RunFacts['suite']): readonly Obstacle[] {
  if (before.sha256 === after.sha256) return []
  const text = `suite: ${before.name} ${before.version} before, ${after.name} ${after.version} after`
  const isSame = before.name === after.name && majorOf(before.version) === majorOf(after.version)
  return [
    { kind: isSame ? 'warn' : 'refuse', text: before.version === after.version ? `${text}, with other tasks` : text },
  ]
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? ''
}
