import { PROFILE_NAMES } from '@callspec/core/qwen-agent'
import { METAGPT_PROFILE_NAMES } from '@callspec/metagpt'
import { differenceLine } from '../comparison/compare.ts'
import type { Grade, GradeCounts } from '../comparison/grade.ts'
import type { Declaration, Topic } from '../protocol/declaration.ts'
import { isCoarse, unclaimedText } from '../protocol/declaration.ts'
import type { CaseResult, Counts, VerdictKind } from './run-suite.ts'
import { gradeOf, noCounts } from './run-suite.ts'
import type { Score } from './scoreboard.ts'
import { createScore } from './scoreboard.ts'

/** The results of a run, counted while they come in. */
export interface RunReport {
  add(result: CaseResult): void
  readonly tally: Tally
  readonly score: Score
  /** Why cases were skipped, most frequent first; what the implementation does not declare in one sentence per kind. */
  skips(): readonly Skips[]
  /** Ids of known failures that passed. */
  readonly fixed: readonly string[]
  /** Ids of known failures that failed. */
  readonly known: readonly string[]
  /** Right but for white space at the ends of prose: how many, and the first of them, a line each. */
  readonly spaces: { readonly count: number; readonly first: readonly string[] }
}

/** Cases that were skipped for one reason. */
export interface Skips {
  readonly cases: number
  readonly reason: string
}

const SHOWN_SPACES = 3

/** A report without any result. `you`: what sentences call the implementation. */
export function createRunReport(about: Declaration, you: string): RunReport {
  const [tally, score] = [createTally(), createScore(about)]
  const reasons = new Map<string, number>()
  const unclaimed = new Map<string, { readonly topic: Topic; cases: number }>()
  const [fixed, known]: [string[], string[]] = [[], []]
  const spaces = { count: 0, first: [] as string[] }
  return {
    ...{ tally, score, fixed, known, spaces },
    add(result) {
      const { case: item, verdict } = result
      tally.add(result)
      score.add(result)
      if (result.fixed !== undefined) fixed.push(item.id)
      if (result.known !== undefined) known.push(item.id)
      if (verdict.kind === 'skipped' && verdict.isUnclaimed === true) {
        const key = JSON.stringify([item.op, item.format, item.profile])
        const entry = unclaimed.get(key) ?? { topic: item, cases: 0 }
        unclaimed.set(key, { topic: topicOf(entry.topic), cases: entry.cases + 1 })
      } else if (verdict.kind === 'skipped' && result.known === undefined)
        reasons.set(verdict.reason, (reasons.get(verdict.reason) ?? 0) + 1)
      if (verdict.kind === 'passed' && verdict.space !== undefined) {
        spaces.count += 1
        if (spaces.first.length < SHOWN_SPACES) spaces.first.push(`${item.id}: ${differenceLine(verdict.space)}`)
      }
    },
    skips() {
      const texts = [...unclaimed.values()].map(
        ({ topic, cases }) => [unclaimedText(about, topic, you), cases] as const,
      )
      const all = new Map(reasons)
      for (const [reason, cases] of texts) all.set(reason, (all.get(reason) ?? 0) + cases)
      return [...all].map(([reason, cases]) => ({ cases, reason })).toSorted((left, right) => right.cases - left.cases)
    },
  }
}

/** Only what claims are about: a case holds its text. */
function topicOf({ op, format, profile }: Topic): Topic {
  return format === undefined ? { op, profile } : { op, format, profile }
}

/** Counts per operation and profile, filled while the results come in. Memory grows with operations, not with cases. */
export interface Tally {
  add(result: CaseResult): void
  total(): Counts
  /** All cases by the verdict in full. */
  grades(): GradeCounts
  /** Operations in alphabetical order; those that several formats share with the format in front. */
  operations(): readonly string[]
  /** Known profiles newest first, then the others. */
  profiles(): readonly string[]
  /** null where there was no case. */
  at(place: { readonly op: string; readonly profile: string }): Counts | null
  /** All of them, apart. */
  cells(): readonly TallyCell[]
}

/** The counts of one operation under one profile. */
export interface TallyCell {
  /** null where the operation has none. */
  readonly format: string | null
  readonly op: string
  readonly profile: string
  readonly counts: Counts
}

export function createTally(): Tally {
  const cells = new Map<string, Map<string, Record<VerdictKind, number>>>()
  const topics = new Map<string, Pick<TallyCell, 'format' | 'op'>>()
  const total = noCounts()
  const grades = new Map<Grade, number>()
  return {
    add(result) {
      const { op: name, format, profile } = result.case
      const { verdict } = result
      const isOfFormat = isCoarse(name) && format !== undefined
      const op = isOfFormat ? `${format} ${name}` : name
      topics.set(op, { format: isOfFormat ? format : null, op: name })
      const row = cells.get(op) ?? new Map<string, Record<VerdictKind, number>>()
      const cell = row.get(profile) ?? noCounts()
      cells.set(op, row.set(profile, cell))
      cell[verdict.kind] += 1
      total[verdict.kind] += 1
      const grade = gradeOf(result)
      grades.set(grade, (grades.get(grade) ?? 0) + 1)
    },
    total: () => ({ ...total }),
    grades: () => Object.fromEntries(grades),
    operations: () => [...cells.keys()].sort(),
    profiles: () => newestFirst(new Set([...cells.values()].flatMap((row) => [...row.keys()]))),
    at: ({ op, profile }) => cells.get(op)?.get(profile) ?? null,
    cells: () =>
      [...cells].flatMap(([name, row]) =>
        [...row].map(([profile, counts]) => ({ format: null, op: name, ...topics.get(name), profile, counts })),
      ),
  }
}

/** `passed, failed, errored, skipped` in one line, as in the last line of a run. */
export function totalLine({ passed, failed, errored, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${errored} errored, ${skipped} skipped`
}

const KNOWN_PROFILES: readonly string[] = [...PROFILE_NAMES, ...METAGPT_PROFILE_NAMES.map((name) => `metagpt@${name}`)]

function newestFirst(profiles: ReadonlySet<string>): readonly string[] {
  const known = KNOWN_PROFILES.filter((name) => profiles.has(name))
  return [...known, ...[...profiles].filter((name) => !KNOWN_PROFILES.includes(name)).sort()]
}
