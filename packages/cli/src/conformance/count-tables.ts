import { formatTable, GRADES, halvesOf, runTables, sumCells, totalLine, VERDICT_KINDS } from '@callspec/conformance'
import { plural } from '@callspec/eval/text'
import type { Counts, FormatRow, Grade, GradeCounts, RunTable, Tally, Verdict } from '@callspec/conformance'
import { displayWidth, fitColumns } from '../columns.ts'
import { inert } from '../output.ts'

interface TableShape {
  readonly hidesSkipped: boolean
  readonly columns: number
}

/**
 * Operations by profiles, without frame, as wide as the output may be; a line for all of them at the end. The versions of each program
 * have a table of their own. `hidesSkipped` leaves out operations of which every case was skipped: most implementations declare few.
 */
export function tallyTable(tally: Tally, shape: TableShape): string {
  const tables = runTables(tally, shape).map((table) => programTable(table, shape))
  return [tables.join('\n\n'), ...legend(tally.total())].join('\n')
}

/**
 * Formats by operations, all versions of a format together, with the versions in which a case failed below it: one screen. Null unless there
 * are cases of several formats; where the operations do not fit, there are sums alone.
 */
export function formatOverview(tally: Tally, { hidesSkipped, columns }: TableShape): string | null {
  const { operations, rows } = formatTable(tally, { hidesSkipped })
  const formats = rows.filter(({ profile }) => profile === null)
  if (formats.filter(({ format }) => format !== null).length < 2) return null
  const sums = operations.map((_, at) => sumCells(formats.map(({ counts }) => counts[at] ?? null)))
  const all = { format: 'all', profile: null, counts: sums, all: sumCells(formats.map((row) => row.all)) }
  const cells = [['format', ...operations, 'all'], ...[...rows, all].map(overviewCells)]
  const sumsAlone = cells.map((row) => [row[0] ?? '', row.at(-1) ?? ''])
  const shown = roomForNames(cells, columns) < SHORT_NAMES ? sumsAlone : cells
  const [names = 0, ...widths] = columnWidths(shown)
  const name = Math.min(names, Math.max(roomForNames(shown, columns), SHORT_NAMES))
  return [framed(shown, [name, ...widths], '  '), ...legend(tally.total())].join('\n')
}

/** Most names of formats and versions are no longer. */
const SHORT_NAMES = 18

function roomForNames(cells: readonly (readonly string[])[], columns: number): number {
  const [, ...widths] = columnWidths(cells)
  return columns - widths.reduce((sum, width) => sum + width + 2, 0)
}

function overviewCells({ format, profile, counts, all }: FormatRow): readonly string[] {
  const name = profile === null ? inert(format ?? 'functions') : `  ${inert(profile)}`
  return [name, ...counts.map(countsText), countsText(all)]
}

function columnWidths(cells: readonly (readonly string[])[]): readonly number[] {
  return cells[0]?.map((_, column) => Math.max(...cells.map((row) => displayWidth(row[column] ?? '')))) ?? []
}

/** Where there are too many profiles for one table, several below each other. */
function programTable(table: RunTable, { hidesSkipped, columns }: TableShape): string {
  const { profiles, rows } = table
  const lines = rows.map(({ op, counts }) => [inert(op), ...counts.map(countsText)])
  const sums = profiles.map((_, at) => countsText(sumCells(rows.map(({ counts }) => counts[at] ?? null))))
  const cells = [['operation', ...profiles.map(inert)], ...lines, ['all', ...sums]]
  const [names = 0, ...widths] = columnWidths(cells)
  const room = (gap: number): number => columns - widths.reduce((total, width) => total + width + gap, 0)
  if (room(1) < Math.min(names, MIN_NAMES) && profiles.length > 1) {
    return halvesOf(table, { hidesSkipped })
      .map((half) => programTable(half, { hidesSkipped, columns }))
      .join('\n\n')
  }
  return framed(cells, [Math.min(names, Math.max(room(1), MIN_NAMES)), ...widths], ' '.repeat(room(2) < names ? 1 : 2))
}

/** A name of an operation that is cut shorter says nothing. */
const MIN_NAMES = 20

function framed(table: readonly (readonly string[])[], widths: readonly number[], gap: string): string {
  const lines = table.map((row) =>
    row.map((text, column) => pad(fitColumns(text, widths[column] ?? 0), widths[column] ?? 0, column > 0)).join(gap),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join(gap)
  const [head = '', ...body] = lines
  return [head, rule, ...body.slice(0, -1), rule, ...body.slice(-1)].join('\n')
}

/** `12` passed; other verdicts follow with their marks; `·` means no case. */
export function countsText(counts: Counts | null): string {
  if (counts === null) return '·'
  const parts = VERDICT_KINDS.filter((kind) => counts[kind] > 0)
  return parts.length === 0 ? '·' : parts.map((kind) => `${MARK[kind]}${counts[kind]}`).join(' ')
}

/** What precedes the number of cases with a verdict. */
export const MARK: Readonly<Record<Verdict['kind'], string>> = { passed: '', failed: '✗', errored: '!', skipped: '~' }

/** What the marks of a table mean, in at most one line. */
export function legend(total: Counts): readonly string[] {
  const used = VERDICT_KINDS.filter((kind) => kind !== 'passed' && total[kind] > 0)
  return used.length === 0 ? [] : [`number alone passed, ${used.map((kind) => `${MARK[kind]} ${kind}`).join(', ')}`]
}

function pad(text: string, width: number, right: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return right ? blanks + text : text + blanks
}

/** The last line of a run. */
export function lastLine(tally: Tally): string {
  return totalLine(tally.total())
}

/** The verdicts in full of wrong answers, known failures among them. */
const WRONG_GRADES: readonly Grade[] = ['id', 'number', 'cut', 'refused', 'failed']

/** What wrong answers there are, and how many answers count for nothing; empty where all wrong ones are simply wrong. */
export function gradeLines(grades: GradeCounts): readonly string[] {
  const used = WRONG_GRADES.filter((grade) => (grades[grade] ?? 0) > 0)
  const parts = used.map((grade) => `${grades[grade] ?? 0} ${grade === 'failed' ? 'other' : grade}`)
  const { contested = 0, synthetic = 0 } = grades
  return [
    ...(used.some((grade) => grade !== 'failed') ? [`wrong answers: ${parts.join(', ')}`] : []),
    ...(contested === 0 ? [] : [`contested: ${plural(contested, 'known failure')}`]),
    ...(synthetic === 0 ? [] : [`synthetic: ${plural(synthetic, 'stream')} that no user meets, not counted`]),
  ]
}

/** A column per verdict in full that one of the rows has. */
export function gradeColumns(rows: readonly GradeCounts[]): readonly (readonly string[])[] {
  const used = GRADES.filter((grade) => rows.some((counts) => (counts[grade] ?? 0) > 0))
  return used.map((grade) => [grade, ...rows.map((counts) => String(counts[grade] ?? NO_CASES))])
}

const NO_CASES = '·'

const GAP = 2

/** Blocks of as many columns as fit next to the labels: each a table with a rule below its head. */
export function columnBlocks(
  labels: readonly (readonly string[])[],
  { columns, width }: { readonly columns: readonly (readonly string[])[]; readonly width: number },
): readonly string[] {
  const result: string[] = []
  const room = width - widthOf(labels)
  let taken: (readonly string[])[] = []
  const flush = (): void => {
    if (taken.length > 0) result.push(blockText([...labels, ...taken]))
    taken = []
  }
  for (const column of columns) {
    if (widthOf([...taken, column]) + GAP > room) flush()
    taken.push(column)
  }
  flush()
  return result
}

function widthOf(columns: readonly (readonly string[])[]): number {
  return columns.reduce((sum, [head = '']) => sum + displayWidth(head) + GAP, -GAP)
}

function blockText(columns: readonly (readonly string[])[]): string {
  const [head = [], ...body] = transposed(columns)
  const rule = head.map((text) => '-'.repeat(displayWidth(text)))
  return [head, rule, ...body].map((cells) => cells.join(' '.repeat(GAP)).trimEnd()).join('\n')
}

/** Every cell of a column as wide as the widest. */
export function padded(columns: readonly (readonly string[])[], right: boolean): readonly (readonly string[])[] {
  return columns.map((cells) => {
    const width = Math.max(...cells.map(displayWidth))
    return cells.map((text) => {
      const blanks = ' '.repeat(width - displayWidth(text))
      return right ? blanks + text : text + blanks
    })
  })
}

/** Rows of columns, and back. */
export function transposed(table: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return (table[0] ?? []).map((_, at) => table.map((row) => row[at] ?? ''))
}
