import type { Case } from '../cases/case.ts'
import type { Reply } from '../implementation.ts'
import { actualText, expectedText } from '../comparison/normal-form.ts'
import { printJson } from '../comparison/visible.ts'
import { isList } from '@callspec/python'
import { caseOrigin } from '../cases/provenance.ts'

/** A column of the matrix: an implementation in one version. */
export interface ConformanceColumn {
  /** Name and version: `my_parser 0.3`. */
  readonly name: string
  /** When its answers were recorded: `July 2026`. Null for what was run. */
  readonly recorded: string | null
  /** The version of the cases; null where that is not known. */
  readonly cases: string | null
  /** When its results were written, as a day; null where that is not known. */
  readonly date: string | null
}

/** How many cases about a topic have which result. */
export interface TopicCell {
  /** Index of its column. */
  readonly column: number
  readonly format: string | null
  readonly op: string
  readonly profile: string
  /** Null for all topics together, where only that is known. */
  readonly topic: string | null
  readonly passed: number
  readonly failed: number
  readonly errored: number
  readonly skipped: number
  /** Questions without one right answer. */
  readonly open: number
}

/** The result of a case; `open` if several answers are right. */
export type ComparedVerdict = 'passed' | 'failed' | 'errored' | 'open'

/** What one implementation answered. */
export interface ComparedAnswer {
  /** Index of its column. */
  readonly column: number
  readonly verdict: ComparedVerdict
  /** In normal form; null where it passed or there was no answer. */
  readonly said: string | null
  /** Where the answers differ, or what broke, on one line; null for a case that passed. */
  readonly reason: string | null
  /** The beginning of what the program sent, before it was read. */
  readonly raw?: string | null
}

/** A case that at least one program failed, or on which two differ, with all answers. */
export interface ComparedCase {
  readonly id: string
  readonly format: string | null
  readonly op: string
  readonly profile: string
  readonly topic: string
  /** The text that was to be read, or JSON; null where the case is not known here. */
  readonly input: string | null
  /** What the answer was taken from, and where markers of the text are no tokens; a line each. */
  readonly origin: readonly string[]
  /** What is right, in normal form; null where that is open or not known here. */
  readonly expected: string | null
  readonly answers: readonly ComparedAnswer[]
}

/** The answer of one column to one case. */
export interface Answered {
  readonly column: number
  readonly id: string
  readonly op: string
  readonly format: string | null
  readonly profile: string
  readonly topic: string
  readonly verdict: ComparedVerdict | 'skipped'
  readonly reason: string | null
  /** Null where the case is not known here. */
  readonly item: Case | null
  readonly reply: Reply | null
  /** The beginning of what the program sent; null where that is not known. */
  readonly raw: string | null
}

/** Results of several implementations, put together by case and counted by topic. */
export interface Compared {
  /** The number of a column, which is made where it is new. */
  column(of: ConformanceColumn): number
  add(answer: Answered): void
  /** Adds counts of all topics together, where there are no results. */
  addTotal(cell: TopicCell): void
  columns(): readonly ConformanceColumn[]
  cells(): readonly TopicCell[]
  /** Those that at least one column failed, or on which two differ. */
  cases(): readonly ComparedCase[]
}

/** So many failing cases are shown of one column; more make no page better. */
const MOST_CASES = 500

/** A comparison without results. */
export function createCompared(): Compared {
  const columns: ConformanceColumn[] = []
  const numbers = new Map<string, number>()
  const cells = new Map<string, Counted>()
  const cases = new Map<string, Gathered>()
  const shown = new Map<number, number>()
  const count = (place: Omit<TopicCell, keyof typeof ZERO_COUNTS>, verdict: Answered['verdict']): void => {
    const key = placeKey(place)
    const cell = cells.get(key) ?? { ...place, ...ZERO_COUNTS }
    cell[verdict] += 1
    cells.set(key, cell)
  }
  return {
    column(of) {
      const number = numbers.get(of.name) ?? columns.length
      const known = columns[number]
      numbers.set(of.name, number)
      columns[number] = { ...of, cases: of.cases ?? known?.cases ?? null, date: of.date ?? known?.date ?? null }
      return number
    },
    add(answer) {
      const { column, format, op, profile, topic, verdict } = answer
      count({ column, format, op, profile, topic }, verdict)
      count({ column, format, op, profile, topic: null }, verdict)
      if (verdict === 'skipped') return
      if (verdict !== 'passed') shown.set(column, (shown.get(column) ?? 0) + 1)
      if (verdict !== 'passed' && verdict !== 'open' && (shown.get(column) ?? 0) > MOST_CASES) return
      const key = JSON.stringify([answer.id, profile])
      const gathered = cases.get(key) ?? { first: answer, item: null, answers: new Map() }
      gathered.item ??= answer.item
      gathered.answers.set(column, comparedAnswer(answer, verdict))
      cases.set(key, gathered)
    },
    addTotal(cell) {
      if (!cells.has(placeKey(cell))) cells.set(placeKey(cell), { ...cell })
    },
    columns: () => columns,
    cells: () => [...cells.values()],
    cases: () => [...cases.values()].filter(isWorthShowing).map(comparedCase),
  }
}

const ZERO_COUNTS = { passed: 0, failed: 0, errored: 0, skipped: 0, open: 0 }

type Counted = { -readonly [Key in keyof TopicCell]: TopicCell[Key] }

interface Gathered {
  readonly first: Answered
  item: Case | null
  readonly answers: Map<number, ComparedAnswer>
}

function placeKey({ column, format, op, profile, topic }: Omit<TopicCell, keyof typeof ZERO_COUNTS>): string {
  return JSON.stringify([column, format, op, profile, topic])
}

function comparedAnswer({ column, item, reply, reason, raw }: Answered, verdict: ComparedVerdict): ComparedAnswer {
  if (verdict === 'passed') return { column, verdict, said: null, reason: null }
  const said = reply === null ? null : item === null ? plainText(reply) : actualText(item, reply)
  return { column, verdict, said, reason, ...(raw === null ? {} : { raw }) }
}

/** The answer as it came, for a case that is not known here. */
function plainText(reply: Reply): string | null {
  if (reply.kind === 'raised') return `refused: ${reply.error.message}`
  return reply.kind === 'returned' ? printJson(reply.value).trimEnd() : null
}

function isWorthShowing({ answers }: Gathered): boolean {
  const all = [...answers.values()]
  const isFailed = all.some(({ verdict }) => verdict === 'failed' || verdict === 'errored')
  return isFailed || new Set(all.map(({ said, verdict }) => (verdict === 'open' ? said : verdict))).size > 1
}

function comparedCase({ first, item, answers }: Gathered): ComparedCase {
  const isOpen = [...answers.values()].every(({ verdict }) => verdict === 'open')
  const given = [...answers.values()]
  const right = item === null || isOpen ? null : expectedText(item)
  const [expected = null, ...said] = cutTogether([right, ...given.map((each) => each.said)])
  const { id, format, op, profile, topic } = first
  return {
    ...{ id, format, op, profile, topic, expected },
    input: item === null ? null : (cutTogether([inputText(item)])[0] ?? null),
    origin: item === null ? [] : caseOrigin(item).map(([title, text]) => `${title}: ${text}`),
    answers: given.map((each, at) => ({ ...each, said: said[at] ?? null })),
  }
}

/** The text that was to be read, with its pieces below each other where it is a stream; JSON of everything else. */
function inputText({ op, input }: Case): string {
  const [text, chunks] = [input.get('text'), input.get('chunks')]
  if (op === 'parse' && typeof text === 'string') return text
  if (op === 'stream' && isList(chunks)) return chunks.map((chunk) => JSON.stringify(String(chunk))).join('\n')
  return printJson(input).trimEnd()
}

/** More of a text is not shown on a page. */
const LONGEST_TEXT = 3000
/** So much of the common beginning is kept. */
const KEPT = 200

/** Long texts, cut so that their first difference is shown: the common beginning is left out of all. */
function cutTogether(texts: readonly (string | null)[]): readonly (string | null)[] {
  const given = texts.filter((text) => text !== null)
  if (given.every((text) => text.length <= LONGEST_TEXT)) return texts
  const start = given.length < 2 ? 0 : Math.max(0, commonLength(given) - KEPT)
  return texts.map((text) => {
    if (text === null) return null
    const rest = text.slice(start)
    return `${start > 0 ? '…' : ''}${rest.length > LONGEST_TEXT ? `${rest.slice(0, LONGEST_TEXT)}…` : rest}`
  })
}

function commonLength([first = '', ...others]: readonly string[]): number {
  let length = first.length
  for (const other of others) {
    let at = 0
    while (at < length && first[at] === other[at]) at += 1
    length = at
  }
  return length
}
