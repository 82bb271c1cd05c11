import { dumps, isList } from '@callspec/python'
import type { Columns } from './columns.ts'
import { readTools } from './read-request.ts'
import type { PlaygroundState } from './state.ts'

/** An engine's answer to a text. */
export type EngineVerdict =
  /** The answer of the strict case, or one of its correct answers. */
  | { readonly kind: 'alike'; readonly setting: Setting }
  | {
      readonly kind: 'otherwise'
      readonly setting: Setting
      /** Null if there is no single correct answer. */
      readonly reason: Reason | null
      /** Null if it was not kept. */
      readonly answer: EngineAnswer | null
    }

export interface EngineQuestion extends Pick<PlaygroundState, 'tools'> {
  readonly format: string
  readonly text: string
  readonly thoughtInContent: boolean
  readonly parallelCalls: boolean
}

/** Whether a text was sent with the page's settings. */
export function asAsked(question: Omit<EngineQuestion, 'format' | 'text'>): (setting: Setting) => boolean {
  const own = normalTools(question.tools)
  return ({ tools, thoughtInContent, parallelCalls }) =>
    normalTools(tools ?? '') === own &&
    thoughtInContent === question.thoughtInContent &&
    parallelCalls === question.parallelCalls
}

/**
 * The answers of every engine to exactly this text in this format, by the number of the engine: only those with the
 * page's settings if there are any, otherwise all. An engine without an entry did not receive the text, or its answers
 * were not kept.
 */
export function answersTo(
  records: EngineRecords,
  question: EngineQuestion,
): ReadonlyMap<number, readonly EngineVerdict[]> {
  const all = new Map<number, EngineVerdict[]>()
  for (const row of formatRows(records, question.format))
    if (row.text === question.text) addVerdicts(all, { records, row })
  if (all.size === 0) return all
  const isSame = asAsked(question)
  return new Map(
    [...all].map(([engine, verdicts]) => {
      const asked = verdicts.filter(({ setting }) => isSame(setting))
      return [engine, distinct(asked.length > 0 ? asked : verdicts)]
    }),
  )
}

function formatRows({ rows }: EngineRecords, format: string): readonly TextRow[] {
  return rows.filter((row) => row.format === format)
}

function addVerdicts(
  all: Map<number, EngineVerdict[]>,
  { records, row }: { readonly records: EngineRecords; readonly row: TextRow },
): void {
  const { text, alike, otherwise } = row
  const setting = records.settings[row.setting]
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
      answer: answer === null ? null : answerTo(text, records.answers[answer]),
    })
}

function answerTo(text: string, answer: RecordedAnswer | undefined): EngineAnswer | null {
  if (answer === undefined || 'refused' in answer) return answer ?? null
  const { content, ...others } = answer
  return content === undefined ? others : { ...others, content: content === true ? text : content }
}

/** With other tools an engine often gives the same answer again. */
function distinct(verdicts: readonly EngineVerdict[]): readonly EngineVerdict[] {
  return [...new Map(verdicts.map((verdict) => [verdictKey(verdict), verdict])).values()]
}

function verdictKey({ setting, ...said }: EngineVerdict): string {
  return JSON.stringify([setting.op, setting.isOpen, said])
}

/** Equal for lists of equal tools; an empty list equals no list. */
function normalTools(text: string): string {
  const read = readTools(text)
  if (read.kind === 'wrong' || !isList(read.tools)) return ''
  return read.tools.length === 0 ? '' : dumps(read.tools)
}

/** A known deviation of an engine, for one reason. */
export interface Deviation {
  readonly reason: Reason
  /** How many texts show it. */
  readonly count: number
  /** The smallest of them. */
  readonly text: string
  readonly setting: Setting
}

export interface EngineOfFormat {
  /** Its number in the records. */
  readonly engine: number
  /** How many texts it received, and how many of these have a single correct answer. */
  readonly asked: number
  readonly judged: number
  /** Those with the most texts first. */
  readonly deviations: readonly Deviation[]
}

export function enginesOf(records: EngineRecords, format: string): readonly EngineOfFormat[] {
  const found = new Map<number, Gathered>()
  for (const row of formatRows(records, format)) {
    const { alike, otherwise } = row
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
  const [smallest] = rows.toSorted(({ text: one }, { text: other }) => one.length - other.length)
  const [reason, setting] = [records.reasons[at], records.settings[smallest?.setting ?? -1]]
  if (smallest === undefined || reason === undefined || setting === undefined) return []
  return [{ reason, count: rows.length, text: smallest.text, setting }]
}

function byCount(one: Deviation, other: Deviation): number {
  return other.count - one.count
}

/** The answers of engines to texts. Made from the committed records by `scripts/engine-records.js`. */
export interface EngineRecords {
  readonly engines: readonly RecordedEngine[]
  readonly settings: readonly Setting[]
  /** Why answers differ. */
  readonly reasons: readonly Reason[]
  readonly answers: readonly RecordedAnswer[]
  readonly rows: readonly TextRow[]
}

/** The same as the page contains it. */
export interface PackedRecords extends Omit<EngineRecords, 'rows'> {
  readonly rows: Columns<TextRow>
}

export interface RecordedEngine {
  readonly name: string
  readonly version: string
  /** `asked`: the cases were run with it here, and can be again; `recorded`: its earlier answers are kept. */
  readonly how: 'asked' | 'recorded'
  /** When, in words; null if it is not known. */
  readonly date: string | null
}

export interface Setting {
  readonly op: 'parse' | 'stream'
  /** A list of tools as JSON; null if none was sent. */
  readonly tools: string | null
  readonly thoughtInContent: boolean
  readonly parallelCalls: boolean
  /** Whether more than one answer is correct. */
  readonly isOpen: boolean
}

/** The kind of a deviation as it was judged, its description, and the reports about it. */
export type Reason = readonly [kind: string, words: string, links: readonly string[]]

/** An engine's reading of a text: its parts, or the message of its refusal. */
export type EngineAnswer =
  | { readonly refused: string }
  | {
      readonly reasoning?: string
      readonly content?: string
      readonly calls: readonly (readonly [name: string, args: string, id?: string])[]
    }

/** The same once for many texts: the content is `true` where it is all of the text. */
export type RecordedAnswer =
  | Extract<EngineAnswer, { readonly refused: string }>
  | (Omit<Extract<EngineAnswer, { readonly calls: unknown }>, 'content'> & { readonly content?: string | true })

/** A text with its settings: the engines that agree with the strict case, and the others. Numbers are those of the lists. */
export interface TextRow {
  readonly format: string
  readonly text: string
  readonly setting: number
  readonly alike: readonly number[]
  readonly otherwise: readonly OtherAnswer[]
}

/** A reason, or null if several answers are correct; an answer, or null if none was kept. */
export type OtherAnswer = readonly [engine: number, reason: number | null, answer: number | null]

/** What an engine in its newest version is known to make of a format, as the build writes it into the page. */
export interface EngineAdviceRecord {
  readonly engine: string
  readonly title: string
  readonly version: string
  readonly date: string
  readonly format: string
  readonly parser: string
  readonly flags: readonly string[]
  readonly right: number
  readonly asked: number
  /** Number of topics with wrong cases. */
  readonly topics: number
  /** Those with the most. */
  readonly broken: readonly (readonly [topic: string, wrong: number])[]
}
