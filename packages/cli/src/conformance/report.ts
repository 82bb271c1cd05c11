import { totalLine, VERDICT_KINDS } from '@callspec/conformance'
import type { CaseResult, Counts, Tally, Verdict } from '@callspec/conformance'
import { displayWidth, inert, quoted } from '../terminal.ts'
import { inputLine, readingsOf } from './reading.ts'

/** How many failures are shown in full; a run against the wrong implementation has thousands. */
export const SHOWN_FAILURES = 200

/**
 * What one case that failed or errored has to say, in a few lines without line break at the end. `replay` is a command
 * line that runs just this case.
 */
export function failureText(result: CaseResult, replay: string): string {
  const { case: item, verdict } = result
  const head = `${MARK[verdict.kind]} ${quoted(item.id, 120)}`
  const place = [
    `  case      ${quoted(item.op, 60)}, profile ${quoted(item.profile, 40)}, ${inert(item.where)}`,
    `  replay    ${replay}`,
  ]
  if (verdict.kind !== 'failed') return [head, `  ${verdict.kind.padEnd(8)}  ${reason(verdict)}`, ...place].join('\n')
  const { path, what, expected, actual, caret } = verdict.difference
  const readings = readingsOf(result)
  return [
    head,
    `  where     ${path === '' ? 'the whole answer' : inert(path)}: ${readings === null ? what : 'something else was read'}`,
    `  expected  ${readings?.expected ?? expected}`,
    `  got       ${readings?.actual ?? actual}`,
    ...(caret === null || readings !== null ? [] : [`${' '.repeat(12 + caret)}^`]),
    ...inputLine(item),
    ...place,
  ].join('\n')
}

/**
 * Operations by profiles, without frame so that long names fit into 80 columns; a line for all of them at the end. The
 * versions of each program have a table of their own: no operation has answers of two programs. `hidesSkipped` leaves out
 * operations of which every case was skipped: most implementations claim few of them.
 */
export function tallyTable(tally: Tally, { hidesSkipped = false }: { readonly hidesSkipped?: boolean } = {}): string {
  const isShown = (profile: string): boolean =>
    !hidesSkipped || tally.operations().some((op) => wasAsked(tally.at({ op, profile })))
  const shown = tally.profiles().filter(isShown)
  const programs = [...new Set(shown.map(programOf))]
  const tables = programs.map((program) =>
    programTable(
      tally,
      shown.filter((profile) => programOf(profile) === program),
      hidesSkipped ? wasAsked : (counts) => counts !== null,
    ),
  )
  return [tables.join('\n\n'), ...legend(tally.total())].join('\n')
}

/** The part of a profile's name before the `@`; versions of Qwen-Agent have none. */
function programOf(profile: string): string {
  return profile.includes('@') ? profile.slice(0, profile.indexOf('@')) : ''
}

function programTable(tally: Tally, profiles: readonly string[], isShown: (counts: Counts | null) => boolean): string {
  const operations = tally.operations().filter((op) => profiles.some((profile) => isShown(tally.at({ op, profile }))))
  const rows = operations.map((op) => [inert(op), ...profiles.map((profile) => countsText(tally.at({ op, profile })))])
  const sums = profiles.map((profile) => countsText(sum(operations.map((op) => tally.at({ op, profile })))))
  const table = [['operation', ...profiles.map(inert)], ...rows, ['all', ...sums]]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => displayWidth(row[column] ?? '')))) ?? []
  const lines = table.map((row) => row.map((text, column) => pad(text, widths[column] ?? 0, column > 0)).join('  '))
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  const [head = '', ...body] = lines
  return [head, rule, ...body.slice(0, -1), rule, ...body.slice(-1)].join('\n')
}

function wasAsked(counts: Counts | null): boolean {
  return counts !== null && counts.passed + counts.failed + counts.errored > 0
}

/** `12` passed; anything else stands beside it with its mark; `·` is nothing at all. */
export function countsText(counts: Counts | null): string {
  if (counts === null) return '·'
  const parts = VERDICT_KINDS.filter((kind) => counts[kind] > 0)
  return parts.length === 0 ? '·' : parts.map((kind) => `${MARK[kind]}${counts[kind]}`).join(' ')
}

const MARK: Readonly<Record<Verdict['kind'], string>> = { passed: '', failed: '✗', errored: '!', skipped: '~' }

/** What the marks of a table mean, in at most one line. */
export function legend(total: Counts): readonly string[] {
  const used = VERDICT_KINDS.filter((kind) => kind !== 'passed' && total[kind] > 0)
  return used.length === 0 ? [] : [`number alone passed, ${used.map((kind) => `${MARK[kind]} ${kind}`).join(', ')}`]
}

function sum(cells: readonly (Counts | null)[]): Counts {
  const total = { passed: 0, failed: 0, errored: 0, skipped: 0 }
  for (const counts of cells) {
    for (const kind of VERDICT_KINDS) total[kind] += counts?.[kind] ?? 0
  }
  return total
}

function reason(verdict: Verdict): string {
  return verdict.kind === 'errored' || verdict.kind === 'skipped' ? quoted(verdict.reason, 300) : ''
}

function pad(text: string, width: number, right: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return right ? blanks + text : text + blanks
}

/** The last line of a run. */
export function lastLine(tally: Tally): string {
  return totalLine(tally.total())
}
