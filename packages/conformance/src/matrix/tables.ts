import { COARSE_OPERATIONS, isCoarse } from '../protocol/declaration.ts'
import type { RecordedCell } from './recorded.ts'
import type { Tally, TallyCell } from '../run/run-report.ts'
import type { Counts } from '../run/run-suite.ts'
import { noCounts, sumCells } from '../run/run-suite.ts'
import type { ScoreCell, Scoreboard } from '../run/scoreboard.ts'

/** The results of one run: operations by profiles of one program. No operation has answers of two programs. */
export interface RunTable {
  readonly profiles: readonly string[]
  /** `counts`: one per profile; null where there was no case. */
  readonly rows: readonly { readonly op: string; readonly counts: readonly (Counts | null)[] }[]
}

interface RunTableOptions {
  readonly hidesSkipped: boolean
}

/** A table per program. `hidesSkipped` leaves out operations and profiles of which every case was skipped. */
export function runTables(tally: Tally, options: RunTableOptions): readonly RunTable[] {
  const { hidesSkipped } = options
  const operations = tally.operations()
  const hasRow = (profile: string): boolean => operations.some((op) => wasAnswered(tally.at({ op, profile })))
  const shown = tally.profiles().filter((profile) => !hidesSkipped || hasRow(profile))
  return [...new Set(shown.map(programOf))].map((program) => {
    const profiles = shown.filter((profile) => programOf(profile) === program)
    const rows = operations.map((op) => ({ op, counts: profiles.map((profile) => tally.at({ op, profile })) }))
    return shownTable({ profiles, rows }, options)
  })
}

/** The first and the second half of the profiles, as tables of their own. */
export function halvesOf({ profiles, rows }: RunTable, options: RunTableOptions): readonly RunTable[] {
  const half = Math.ceil(profiles.length / 2)
  return [[0, half] as const, [half, profiles.length] as const].map(([from, to]) => {
    const some = rows.map(({ op, counts }) => ({ op, counts: counts.slice(from, to) }))
    return shownTable({ profiles: profiles.slice(from, to), rows: some }, options)
  })
}

function shownTable({ profiles, rows }: RunTable, { hidesSkipped }: RunTableOptions): RunTable {
  const isShown = (counts: Counts | null): boolean => (hidesSkipped ? wasAnswered(counts) : counts !== null)
  return { profiles, rows: rows.filter(({ counts }) => counts.some(isShown)) }
}

function wasAnswered(counts: Counts | null): boolean {
  return counts !== null && counts.passed + counts.failed + counts.errored > 0
}

/** The results of one run by formats. */
export interface FormatTable {
  readonly operations: readonly string[]
  readonly rows: readonly FormatRow[]
}

/** A format, or a version of it. */
export interface FormatRow {
  /** Null for operations without a format. */
  readonly format: string | null
  /** Null for all versions together. */
  readonly profile: string | null
  /** One per operation; null where there was no case. */
  readonly counts: readonly (Counts | null)[]
  readonly all: Counts
}

/**
 * A row per format in alphabetical order, and one for operations without a format; each is followed by rows of the versions in which a case
 * failed, if it has others. `hidesSkipped` leaves out formats and operations of which every case was skipped.
 */
export function formatTable(tally: Tally, { hidesSkipped }: RunTableOptions): FormatTable {
  const cells = tally.cells()
  const isShown = ({ counts }: TallyCell): boolean => !hidesSkipped || wasAnswered(counts)
  const operations = COARSE_OPERATIONS.filter((op) =>
    cells.some((cell) => cell.format !== null && cell.op === op && isShown(cell)),
  )
  const rowOf = (own: readonly TallyCell[], profile: string | null): FormatRow => ({
    format: own[0]?.format ?? null,
    profile,
    counts: operations.map((op) => sumOf(own.filter((cell) => cell.format !== null && cell.op === op))),
    all: sumOf(own) ?? noCounts(),
  })
  const formats = [...new Set(cells.map(({ format }) => format))]
  const named = formats.filter((format) => format !== null).toSorted()
  const rows = [...named, ...(formats.includes(null) ? [null] : [])].flatMap((format) => {
    const own = cells.filter((cell) => cell.format === format)
    const versions = tally.profiles().filter((profile) => own.some((cell) => cell.profile === profile))
    const wrong = versions
      .map((profile) =>
        rowOf(
          own.filter((cell) => cell.profile === profile),
          profile,
        ),
      )
      .filter(({ all }) => all.failed + all.errored > 0)
    return [rowOf(own, null), ...(versions.length > 1 ? wrong : [])]
  })
  return { operations, rows: rows.filter(({ all }) => !hidesSkipped || wasAnswered(all)) }
}

function sumOf(cells: readonly TallyCell[]): Counts | null {
  return cells.length === 0 ? null : sumCells(cells.map(({ counts }) => counts))
}

/** The part of a profile's name before the `@`; versions of Qwen-Agent have none. Those of formats, `nemotron-3`, are together. */
function programOf(profile: string): string {
  if (profile.includes('@')) return profile.slice(0, profile.indexOf('@'))
  return /^(?:main|v\d.*|strict|lenient:.*)$/.test(profile) ? '' : 'versions of formats'
}

/** The scoreboards about one format: implementations, in a version and under a profile, by operations. */
export interface ScoreTable {
  /** Null for operations without a format. */
  readonly format: string | null
  readonly operations: readonly string[]
  /** `counts`: one per operation; null where there was no case. */
  readonly rows: readonly ScoreRow[]
}

/** One implementation in one version under one profile. */
export interface ScoreRow {
  readonly name: string
  readonly profile: string
  readonly counts: readonly (Counts | null)[]
}

/** The column of all operations that are single functions of a reference: there are too many for a column each. */
export const FUNCTIONS = 'functions'

/** A table per format in alphabetical order; last, operations without a format. */
export function scoreTables(boards: readonly Scoreboard[]): readonly ScoreTable[] {
  const cells = boards.flatMap(({ implementation, results }) =>
    results.flatMap(({ version, cells: own }) => own.map((cell) => ({ name: `${implementation} ${version}`, cell }))),
  )
  const formats = [...new Set(cells.map(({ cell }) => cell.format))]
  const named = formats.filter((format) => format !== null).toSorted()
  return [...named, ...(formats.includes(null) ? [null] : [])].map((format) => {
    const about = cells.filter(({ cell }) => cell.format === format)
    const operations = [...new Set(about.map(({ cell }) => columnOf(cell)))]
    const rows = [...new Set(about.map(({ name }) => name))].flatMap((name) => {
      const own = about.filter((each) => each.name === name).map(({ cell }) => cell)
      const profiles = [...new Set(own.map(({ profile }) => profile))].toSorted(profileOrder)
      return profiles.map((profile) => ({
        name,
        profile,
        counts: operations.map((op) => countsAt(own, { op, profile })),
      }))
    })
    return { format, operations, rows }
  })
}

function columnOf({ op }: ScoreCell): string {
  return isCoarse(op) ? op : FUNCTIONS
}

function countsAt(
  cells: readonly ScoreCell[],
  place: { readonly op: string; readonly profile: string },
): Counts | null {
  const found = cells.filter((cell) => cell.profile === place.profile && columnOf(cell) === place.op)
  return found.length === 0 ? null : sumCells(found)
}

/** `strict` first, then `lenient:…`, then versions, newest first. */
function profileOrder(left: string, right: string): number {
  return profileRank(left) - profileRank(right) || right.localeCompare(left, 'en', { numeric: true })
}

function profileRank(profile: string): number {
  const at = [/^strict$/, /^lenient:/, /@main$/].findIndex((pattern) => pattern.test(profile))
  return at === -1 ? 3 : at
}

/** The recorded answers about one format and operation: topics by engines. */
export interface RecordedTable {
  readonly format: string
  readonly op: string
  readonly engines: readonly string[]
  /** A row per topic, and one for all; `counts`: one per engine. */
  readonly rows: readonly { readonly topic: string; readonly counts: readonly RecordedCounts[] }[]
}

/** How many questions were answered right, wrong, or have no single right answer. */
export type RecordedCounts = Pick<RecordedCell, 'agrees' | 'differs' | 'open'>

/** A table per format and operation that has recorded answers. */
export function recordedTables(
  cells: readonly RecordedCell[],
  { formats }: { readonly formats: readonly string[] },
): readonly RecordedTable[] {
  return formats.flatMap((format) =>
    ['parse', 'render'].flatMap((op) => {
      const own = cells.filter((cell) => cell.format === format && cell.op === op)
      if (own.length === 0) return []
      const topics = [...new Set(own.map(({ topic }) => topic))].toSorted()
      const engines = [...new Set(own.map(({ engine }) => engine))].toSorted()
      const rowOf = (topic: string, some: readonly RecordedCell[]): RecordedTable['rows'][number] => ({
        topic,
        counts: engines.map((engine) => summed(some.filter((cell) => cell.engine === engine))),
      })
      const rows = topics.map((topic) =>
        rowOf(
          topic,
          own.filter((cell) => cell.topic === topic),
        ),
      )
      return [{ format, op, engines, rows: [...rows, rowOf('all', own)] }]
    }),
  )
}

function summed(cells: readonly RecordedCell[]): RecordedCounts {
  const sum = (of: (cell: RecordedCell) => number): number => cells.reduce((total, cell) => total + of(cell), 0)
  return { agrees: sum((cell) => cell.agrees), differs: sum((cell) => cell.differs), open: sum((cell) => cell.open) }
}
