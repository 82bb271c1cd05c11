import { dumps, isList } from '@callspec/python'
import { readTools } from '../read-request.ts'
import type { PlaygroundState } from '../state.ts'
import type { EngineAnswer, EngineRecords, Reason, Setting, TextRow } from './engine-records.ts'

/** What an engine answered to a text that it was asked. */
export type EngineVerdict =
  /** As the strict case does, or by one of its right answers. */
  | { readonly kind: 'alike'; readonly setting: Setting }
  | {
      readonly kind: 'otherwise'
      readonly setting: Setting
      /** Null where there is no single right answer. */
      readonly reason: Reason | null
      /** Null where it was not kept. */
      readonly answer: EngineAnswer | null
    }

/** What an engine is asked about. */
export interface EngineQuestion extends Pick<PlaygroundState, 'tools'> {
  readonly format: string
  readonly text: string
  readonly thoughtInContent: boolean
  readonly parallelCalls: boolean
}

/** Tells whether a text was asked as the page is set. */
export function asAsked(question: Omit<EngineQuestion, 'format' | 'text'>): (setting: Setting) => boolean {
  const own = toolsOf(question.tools)
  return ({ tools, thoughtInContent, parallelCalls }) =>
    toolsOf(tools ?? '') === own &&
    thoughtInContent === question.thoughtInContent &&
    parallelCalls === question.parallelCalls
}

/**
 * What every engine answered to exactly this text in this format, by the number of the engine: where it was asked as the page is set only
 * that, else everything. An engine without an entry was not asked it, or nothing of that was kept.
 */
export function answersTo(
  records: EngineRecords,
  question: EngineQuestion,
): ReadonlyMap<number, readonly EngineVerdict[]> {
  const all = new Map<number, EngineVerdict[]>()
  for (const row of rowsOf(records, question.format)) if (row[0] === question.text) addVerdicts(all, { records, row })
  if (all.size === 0) return all
  const isSame = asAsked(question)
  return new Map(
    [...all].map(([engine, verdicts]) => {
      const asked = verdicts.filter(({ setting }) => isSame(setting))
      return [engine, distinct(asked.length > 0 ? asked : verdicts)]
    }),
  )
}

/** The texts that are known of a format. */
function rowsOf({ texts }: EngineRecords, format: string): readonly TextRow[] {
  return Object.hasOwn(texts, format) ? (texts[format] ?? []) : []
}

function addVerdicts(
  all: Map<number, EngineVerdict[]>,
  { records, row }: { readonly records: EngineRecords; readonly row: TextRow },
): void {
  const [, at, alike, otherwise] = row
  const setting = records.settings[at]
  if (setting === undefined) return
  const add = (engine: number, verdict: EngineVerdict): void => {
    all.set(engine, [...(all.get(engine) ?? []), verdict])
  }
  for (const engine of alike) add(engine, { kind: 'alike', setting })
  for (const [engine, reason, answer] of otherwise)
    add(engine, {
      kind: 'otherwise',
      setting,
      reason: reason === null ? null : (records.reasons[reason] ?? null),
      answer: answer === null ? null : (records.answers[answer] ?? null),
    })
}

/** Asked with other tools, an engine often says the same once more. */
function distinct(verdicts: readonly EngineVerdict[]): readonly EngineVerdict[] {
  return [...new Map(verdicts.map((verdict) => [keyOf(verdict), verdict])).values()]
}

function keyOf({ setting, ...said }: EngineVerdict): string {
  return JSON.stringify([setting.op, setting.isOpen, said])
}

/** Equal for lists of equal tools; a list without any is none. */
function toolsOf(text: string): string {
  const read = readTools(text)
  if (read.kind === 'wrong' || !isList(read.tools)) return ''
  return read.tools.length === 0 ? '' : dumps(read.tools)
}

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
