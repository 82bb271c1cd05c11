import type { TurnLabel } from '@callspec/labels'
import { TURN_LABELS } from '@callspec/labels'
import { ATTEMPTS } from '../score/scores.ts'
import { REPAIRS } from '../reading/call-block.ts'
import type { Rate } from '../statistics/rate.ts'
import { rate } from '../statistics/rate.ts'
import type { OutputRow, ReadRow, RowOptions } from './output-rows.ts'
import { readOutputRow } from './output-rows.ts'
import { identifyReply } from '@callspec/core/identify'
import type { OutputReader, ReadOutput } from './output-reader.ts'

/** How many rows have which answer: ids of formats that read them in the same way, the most frequent first; and how many no answer. */
export interface AnswerCounts {
  readonly answers: readonly { readonly formats: readonly string[]; readonly rows: number }[]
  /** Rows in which no format finds a call. */
  readonly withoutCall: number
}

export interface CountingAnswers {
  readonly add: (text: string) => void
  /** How many texts were read. */
  readonly counted: () => number
  readonly result: () => AnswerCounts
}

export function countAnswers(): CountingAnswers {
  const rows = new Map<string, { readonly formats: readonly string[]; rows: number }>()
  let [counted, withoutCall] = [0, 0]
  return {
    add: (text) => {
      counted += 1
      const { formats } = identifyReply(text)
      const key = formats.join(' ')
      const known = rows.get(key)
      if (formats.length === 0) withoutCall += 1
      else if (known === undefined) rows.set(key, { formats, rows: 1 })
      else known.rows += 1
    },
    counted: () => counted,
    result: () => ({ answers: [...rows.values()].toSorted((one, other) => other.rows - one.rows), withoutCall }),
  }
}

/** The parse rates of the outputs of one model. */
export interface OutputScore {
  readonly model: string
  readonly rows: number
  /** Rows without an intended call. */
  readonly withoutCall: number
  /** Of the rows with one: those that need no repair. */
  readonly strictParse: Rate
  /** The same with repairs. */
  readonly parse: Rate
  readonly strict: Readonly<Partial<Record<TurnLabel, number>>>
  readonly lenient: Readonly<Partial<Record<TurnLabel, number>>>
  /** Why strict reading failed. */
  readonly problems: Readonly<Partial<Record<string, number>>>
  /** The repairs of the recovered ones. */
  readonly repairs: Readonly<Partial<Record<string, number>>>
  /** Rows that call a function which the row does not offer; dots and underscores count as equal. */
  readonly unknownFunctions: number
}

/** The result of scoring a file. */
export interface OutputsSummary {
  readonly scored: number
  readonly otherFormats: number
  /** Requests without an answer: a failure of the server, not a reply of a model. */
  readonly failed: number
  /** How many of them failed, by reason. */
  readonly failures: Readonly<Partial<Record<string, number>>>
  readonly unreadable: number
  /** Of the rows of other formats: how many are in which formats, by how well every format reads them. */
  readonly otherFormatsRead: AnswerCounts
  /**
   * The same for the first rows in which no call could be read: all of them if no row of the file could be read, else those in another
   * format. Null without such rows.
   */
  readonly unread: AnswerCounts | null
  readonly models: readonly OutputScore[]
}

export interface ScoreOutputsOptions extends RowOptions {
  readonly reader: OutputReader
  /** Reads a line. Default: `readOutputRow`. */
  readonly readRow?: (line: string, options: RowOptions) => ReadRow
  /** Called with every unreadable line; lines count from 1. */
  readonly onUnreadable?: (line: number, reason: string) => void
  readonly onLine?: (line: number) => void
}

/**
 * Scores recorded outputs line by line; memory does not grow with the file. Empty lines are skipped.
 *
 * @throws what the reader throws
 */
export async function scoreOutputs(
  lines: AsyncIterable<string>,
  { readRow = readOutputRow, ...options }: ScoreOutputsOptions,
): Promise<OutputsSummary> {
  const models = new Map<string, Counting>()
  const failures = new Map<string, number>()
  const tally = { scored: 0, otherFormats: 0, failed: 0, unreadable: 0 }
  const [others, unread] = [countAnswers(), countAnswers()]
  const score = async (row: OutputRow): Promise<void> => {
    tally.scored += 1
    const counting = models.get(row.model) ?? startCounting()
    models.set(row.model, counting)
    const output = options.reader.read(row.text, row.reply)
    const read = output instanceof Promise ? await output : output
    count(counting, row, read)
    if (read.names.length === 0 && unread.counted() < MOST_UNREAD) unread.add(row.text)
  }
  let line = 0
  for await (const text of lines) {
    line += 1
    options.onLine?.(line)
    if (text.trim() === '') continue
    const read = readRow(text, options)
    switch (read.kind) {
      case 'row':
        await score(read.row)
        break
      case 'rows':
        for (const row of read.rows) await score(row)
        break
      case 'other-format':
        tally.otherFormats += 1
        for (const row of otherRows(readRow(text, { ...options, reader: EVERY_FORMAT }))) others.add(row.text)
        break
      case 'failed':
        tally.failed += 1
        addCount(failures, failures.size < MOST_FAILURES || failures.has(read.reason) ? read.reason : 'something else')
        break
      case 'unreadable':
        tally.unreadable += 1
        options.onUnreadable?.(line, read.reason)
        break
      case 'no-output':
        break
    }
  }
  const names = [...models.keys()].sort()
  const isUnread = [...models.values()].every(({ strictOk, recovered }) => strictOk + recovered === 0)
  return {
    ...tally,
    otherFormatsRead: others.result(),
    unread: isUnread && tally.scored > 0 ? unread.result() : inOthers(unread.result(), options.reader),
    failures: Object.fromEntries([...failures].sort(([, a], [, b]) => b - a)),
    models: names.map((name) => resultOf(name, models.get(name) ?? startCounting())),
  }
}

/** At most so many unreadable rows are identified. */
const MOST_UNREAD = 200

/** The rows of formats that the reader does not read. */
function inOthers({ answers }: AnswerCounts, { accepts }: OutputReader): AnswerCounts | null {
  const others = answers.filter(({ formats }) => !formats.some(accepts))
  return others.length === 0 ? null : { answers: others, withoutCall: 0 }
}

const EVERY_FORMAT = { accepts: () => true }

function otherRows(read: ReadRow): readonly OutputRow[] {
  if (read.kind === 'row') return [read.row]
  return read.kind === 'rows' ? read.rows : []
}

/** At most so many failures are counted separately. */
const MOST_FAILURES = 20

interface Counting {
  rows: number
  attempts: number
  strictOk: number
  recovered: number
  unknownFunctions: number
  readonly strict: Map<TurnLabel, number>
  readonly lenient: Map<TurnLabel, number>
  readonly problems: Map<string, number>
  readonly repairs: Map<string, number>
}

function startCounting(): Counting {
  return {
    rows: 0,
    attempts: 0,
    strictOk: 0,
    recovered: 0,
    unknownFunctions: 0,
    strict: new Map(),
    lenient: new Map(),
    problems: new Map(),
    repairs: new Map(),
  }
}

function count(counting: Counting, row: OutputRow, output: ReadOutput): void {
  const { strict, lenient, problem, repairs, names } = output
  counting.rows += 1
  addCount(counting.strict, strict)
  addCount(counting.lenient, lenient)
  const isCutCall = strict === 'truncated' && names.length > 0
  if (!isCutCall && !ATTEMPTS.has(strict) && !ATTEMPTS.has(lenient)) return
  counting.attempts += 1
  if (strict === 'well_formed') counting.strictOk += 1
  else if (lenient === 'recovered') counting.recovered += 1
  if (problem !== null) addCount(counting.problems, problem)
  for (const repair of repairs) addCount(counting.repairs, repair)
  if (callsUnknown(row, output)) counting.unknownFunctions += 1
}

/** Some servers forbid dots in names and show underscores to the model. */
function callsUnknown({ functions }: OutputRow, { names }: ReadOutput): boolean {
  if (functions === null) return false
  const offered = new Set(functions.map(underscored))
  return names.some((name) => !offered.has(underscored(name)))
}

function underscored(name: string): string {
  return name.replaceAll('.', '_')
}

function resultOf(model: string, counting: Counting): OutputScore {
  const { rows, attempts, strictOk, recovered, unknownFunctions } = counting
  return {
    model,
    rows,
    withoutCall: rows - attempts,
    strictParse: rate(strictOk, attempts),
    parse: rate(strictOk + recovered, attempts),
    strict: inNameOrder(counting.strict, TURN_LABELS),
    lenient: inNameOrder(counting.lenient, TURN_LABELS),
    problems: Object.fromEntries([...counting.problems].sort(([, a], [, b]) => b - a)),
    // Known reasons in their order, then those of a user's reader.
    repairs: inNameOrder(counting.repairs, [...new Set<string>([...REPAIRS, ...counting.repairs.keys()])]),
    unknownFunctions,
  }
}

function inNameOrder<T extends string>(
  counts: ReadonlyMap<T, number>,
  order: readonly T[],
): Readonly<Partial<Record<T, number>>> {
  const known = order.filter((name) => counts.has(name)).map((name) => [name, counts.get(name)] as const)
  return Object.fromEntries(known) as Partial<Record<T, number>>
}

function addCount<T>(counts: Map<T, number>, name: T): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
