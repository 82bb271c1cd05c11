import { COARSE_OPERATIONS, isCoarse } from '../protocol/coarse-operation.ts'
import { unclaimed } from '../protocol/declaration.ts'
import type { Declaration } from '../protocol/declaration.ts'
import { wireProfile } from '../protocol/profile-name.ts'
import { VERDICT_KINDS } from '../run-suite.ts'
import type { CaseResult } from '../run-suite.ts'
import type { Counts } from '../tally.ts'

/** What came of the cases about one format, operation and profile. */
export interface ScoreCell extends Counts {
  /** null where the operation has none. */
  readonly format: string | null
  readonly op: string
  /** As it travels, such as `qwen-agent@main`. */
  readonly profile: string
}

/** Counts per format, operation and profile that is claimed, filled while results come in. */
export interface Score {
  add(result: CaseResult): void
  /** In the order of formats, operations and profiles. */
  cells(): readonly ScoreCell[]
}

/** A score without any case. What the implementation does not claim is no part of its result. */
export function createScore(about: Declaration): Score {
  const cells = new Map<string, Writable<ScoreCell>>()
  return {
    // A failure stays one on the board, whether it is known or not.
    add({ case: item, verdict: told, known: verdict = told }) {
      if (unclaimed(about, item) !== null) return
      const { format = null, op, profile } = item
      const key = cellKey({ format, op, profile: wireProfile(profile) })
      const cell = cells.get(key) ?? emptyCell({ format, op, profile: wireProfile(profile) })
      cell[verdict.kind] += 1
      cells.set(key, cell)
    },
    cells: () => inOrder([...cells.values()]),
  }
}

/** One text per place of a cell. */
export function cellKey({ format, op, profile }: Pick<ScoreCell, 'format' | 'op' | 'profile'>): string {
  return JSON.stringify([format, op, profile])
}

/** The order in which cells are kept. */
export function inOrder(cells: readonly ScoreCell[]): readonly ScoreCell[] {
  const rank = ({ op }: ScoreCell): number => (isCoarse(op) ? COARSE_OPERATIONS.indexOf(op) : COARSE_OPERATIONS.length)
  return cells.toSorted(
    (left, right) =>
      Number(left.format === null) - Number(right.format === null) ||
      compare(left.format ?? '', right.format ?? '') ||
      rank(left) - rank(right) ||
      compare(left.op, right.op) ||
      compare(left.profile, right.profile),
  )
}

/** All cells together, each verdict by itself. */
export function sumCells(cells: readonly Counts[]): Counts {
  const total = { passed: 0, failed: 0, errored: 0, skipped: 0 }
  for (const cell of cells) for (const kind of VERDICT_KINDS) total[kind] += cell[kind]
  return total
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

function emptyCell(place: Pick<ScoreCell, 'format' | 'op' | 'profile'>): Writable<ScoreCell> {
  const zeros = Object.fromEntries(VERDICT_KINDS.map((kind) => [kind, 0])) as Record<keyof Counts, number>
  return { ...place, ...zeros }
}

/** By code units, the same on every machine. */
function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
