import { rowsOf } from './answers-to.ts'
import type { EngineRecords, Reason, Setting, TextRow } from './engine-records.ts'

/** What an engine is known to read otherwise, for one reason. */
export interface Deviation {
  readonly reason: Reason
  /** How many texts show it. */
  readonly count: number
  /** The smallest of them. */
  readonly text: string
  readonly setting: Setting
}

/** An engine that was asked about a format. */
export interface EngineOfFormat {
  /** Its number in the records. */
  readonly engine: number
  /** How many texts it was asked, and how many of these have a single right answer. */
  readonly asked: number
  readonly judged: number
  /** Those that most texts show come first. */
  readonly deviations: readonly Deviation[]
}

/** The engines that were asked about a format. */
export function enginesOf(records: EngineRecords, format: string): readonly EngineOfFormat[] {
  const found = new Map<number, Gathered>()
  for (const row of rowsOf(records, format)) {
    const [, , alike, otherwise] = row
    for (const engine of alike) gatheredOf(found, engine).judged += 1
    for (const [engine, reason] of otherwise) {
      const gathered = gatheredOf(found, engine)
      if (reason === null) gathered.open += 1
      else gathered.judged += 1
      if (reason !== null) gathered.rows.set(reason, [...(gathered.rows.get(reason) ?? []), row])
    }
  }
  return [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([engine, { judged, open, rows }]) => ({
      engine,
      asked: judged + open,
      judged,
      deviations: [...rows].flatMap(([reason, of]) => deviation(records, reason, of)).toSorted(byCount),
    }))
}

interface Gathered {
  judged: number
  open: number
  readonly rows: Map<number, readonly TextRow[]>
}

function gatheredOf(found: Map<number, Gathered>, engine: number): Gathered {
  const known = found.get(engine) ?? { judged: 0, open: 0, rows: new Map<number, readonly TextRow[]>() }
  found.set(engine, known)
  return known
}

function deviation(records: EngineRecords, at: number, rows: readonly TextRow[]): readonly Deviation[] {
  const [smallest] = rows.toSorted(([one], [other]) => one.length - other.length)
  const [reason, setting] = [records.reasons[at], records.settings[smallest?.[1] ?? -1]]
  if (smallest === undefined || reason === undefined || setting === undefined) return []
  return [{ reason, count: rows.length, text: smallest[0], setting }]
}

function byCount(one: Deviation, other: Deviation): number {
  return other.count - one.count
}
