import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AskedCases } from '@callspec/conformance'
import { readAsked } from '@callspec/conformance'
import type { EngineRow } from './engine-file.ts'
import type { EngineCounts, EngineReport, KnownReport } from './engine-report.ts'
import { askedFile, reportText } from './engine-report.ts'

/** Below a folder of reports: the lists of cases that they name. */
const LISTS = 'asked'

export function reportFile({ engine, version }: EngineRow, folder: string): string {
  return join(folder, `${engine.name}@${version.version}.json`)
}

/** The report of a row with its lists; null where there is none. */
export function knownReport(row: EngineRow, folder: string): KnownReport | null {
  const path = reportFile(row, folder)
  if (!existsSync(path)) return null
  return { report: JSON.parse(readFileSync(path, 'utf8')) as EngineReport, listOf: listsIn(folder) }
}

/** Reads lists of a folder, each once. A missing one lists nothing. */
export function listsIn(folder: string): (counts: EngineCounts) => AskedCases {
  const lists = new Map<string, AskedCases>()
  return (counts) => {
    const name = askedFile(counts)
    const path = join(folder, LISTS, name)
    const list = lists.get(name) ?? readAsked(existsSync(path) ? readFileSync(path, 'utf8') : '')
    lists.set(name, list)
    return list
  }
}

/** Writes a report with its lists, and removes lists that no report of the folder names any more. */
export function writeReport(
  folder: string,
  row: EngineRow,
  { report, files }: { readonly report: EngineReport; readonly files: ReadonlyMap<string, string> },
): void {
  mkdirSync(join(folder, LISTS), { recursive: true })
  for (const [name, text] of files) writeFileSync(join(folder, LISTS, name), text)
  writeFileSync(reportFile(row, folder), reportText(report))
  const named = new Set(readReports(folder).flatMap(({ counts }) => counts.map(askedFile)))
  for (const name of readdirSync(join(folder, LISTS))) if (!named.has(name)) rmSync(join(folder, LISTS, name))
}

/** The reports of a folder: engines by name, the newest version first. */
export function readReports(folder: string): readonly EngineReport[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as EngineReport)
    .toSorted(
      (one, other) =>
        compareTexts(one.engine, other.engine) ||
        compareTexts(other.date, one.date) ||
        other.version.localeCompare(one.version, 'en', { numeric: true }),
    )
}

export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
