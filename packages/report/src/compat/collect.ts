import type { CompatData, CompatEngine, CompatRow, CompatVerdict } from '@callspec/compat-data'
import { verdictsOf } from '@callspec/compat-data'
import { withoutCut } from './addresses.ts'

/** Rows of an engine that the pages show, newest first: the newest version and the one before. */
export interface ShownEngine {
  readonly engine: CompatEngine
  readonly rows: readonly CompatRow[]
  readonly answers: Readonly<Record<string, string>>
}

/** Older versions are in the data alone. */
const SHOWN_VERSIONS = 2

/** The engines of the data with the rows that are shown. */
export function shownEngines(data: CompatData): readonly ShownEngine[] {
  return data.index.engines.map((engine) => ({
    engine,
    rows: engine.versions.slice(0, SHOWN_VERSIONS).map(({ version }) => data.row(engine.name, version)),
    answers: data.answers(engine.name),
  }))
}

/** What one parser of one version made of a case, in all ways of asking in which it made the same of it. */
export interface CaseEntry {
  readonly engine: CompatEngine
  readonly row: CompatRow
  readonly isNewest: boolean
  /** The versions that gave this, newest first: `0.33.0 (2026-11-02)`. */
  readonly versions: readonly string[]
  readonly parser: string
  /** Such as `parse`, `stream`, `tokens`. */
  readonly ways: readonly string[]
  readonly verdict: CompatVerdict
  /** The first characters of the answer, or a reason; empty where the case passed. */
  readonly gave: string
}

/** By the id of a case, without cuts: what engines made of it. Cases that all of them pass, or were not asked, are left out. */
export function entriesByCase(
  engines: readonly ShownEngine[],
  data: CompatData,
): ReadonlyMap<string, readonly CaseEntry[]> {
  const asked = data.asked()
  const differing = new Set(
    engines.flatMap(({ rows }) =>
      rows.flatMap(({ results }) =>
        results.flatMap(({ cases }) =>
          Object.entries(cases).flatMap(([id, [verdict]]) => (isShown(verdict) ? [withoutCut(id)] : [])),
        ),
      ),
    ),
  )
  const byCase = new Map<string, Map<string, MutableEntry>>()
  for (const { engine, rows, answers } of engines) {
    for (const [at, row] of rows.entries()) {
      for (const result of row.results) {
        for (const [id, verdict] of verdictsOf(result, asked)) {
          const name = withoutCut(id)
          if (!differing.has(name) || verdict === 'synthetic') continue
          // Of a right answer nothing needs to be shown.
          const gave = verdict === 'whitespace' ? '' : (answers[result.cases[id]?.[1] ?? ''] ?? '')
          const key = JSON.stringify([engine.name, row.version, result.parser, verdict, gave])
          const entries = byCase.get(name) ?? new Map<string, MutableEntry>()
          byCase.set(name, entries)
          const way = id === name ? result.operation : id.slice(name.length + 2)
          const known = entries.get(key)
          if (known === undefined)
            entries.set(key, {
              engine,
              row,
              isNewest: at === 0,
              versions: [`${row.version} (${row.date})`],
              parser: result.parser,
              ways: [way],
              verdict,
              gave,
            })
          else known.ways.push(way)
        }
      }
    }
  }
  return new Map([...byCase].map(([id, entries]) => [id, mergedVersions([...entries.values()])]))
}

/** Versions of an engine that gave the same, asked in the same ways, share an entry. */
function mergedVersions(entries: readonly CaseEntry[]): readonly CaseEntry[] {
  const merged = new Map<string, CaseEntry>()
  for (const entry of entries) {
    const { engine, parser, verdict, gave, ways, versions } = entry
    const key = JSON.stringify([engine.name, parser, verdict, gave, ways])
    const newer = merged.get(key)
    merged.set(key, newer === undefined ? entry : { ...newer, versions: [...newer.versions, ...versions] })
  }
  return [...merged.values()]
}

interface MutableEntry extends Omit<CaseEntry, 'ways'> {
  readonly ways: string[]
}

function isShown(verdict: CompatVerdict): boolean {
  return verdict !== 'passed' && verdict !== 'whitespace' && verdict !== 'synthetic' && verdict !== 'skipped'
}
