import { actualText, expectedText, printJson } from '@callspec/conformance'
import type { Case, Reply } from '@callspec/conformance'
import { isList } from '@callspec/python'
import type { ComparedAnswer, ComparedCase, ComparedVerdict, ConformanceColumn, TopicCell } from '@callspec/report'
import { caseOrigin } from './case-origin.ts'
import { cutTogether } from './cut-together.ts'

/** One answer on its way to the page. */
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
  /** Adds what is known of all topics together, where no results are. */
  addTotal(cell: TopicCell): void
  columns(): readonly ConformanceColumn[]
  cells(): readonly TopicCell[]
  /** Those that somebody failed, or on which two differ. */
  cases(): readonly ComparedCase[]
}

/** So many failing cases are shown of one column; more make no page better. */
const MOST = 500

/** Nothing yet. */
export function createCompared(): Compared {
  const columns: ConformanceColumn[] = []
  const numbers = new Map<string, number>()
  const cells = new Map<string, Counted>()
  const cases = new Map<string, Gathered>()
  const shown = new Map<number, number>()
  const count = (place: Omit<TopicCell, keyof typeof NOTHING>, verdict: Answered['verdict']): void => {
    const key = placeKey(place)
    const cell = cells.get(key) ?? { ...place, ...NOTHING }
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
      if (verdict !== 'passed' && verdict !== 'open' && (shown.get(column) ?? 0) > MOST) return
      const key = JSON.stringify([answer.id, profile])
      const gathered = cases.get(key) ?? { first: answer, item: null, answers: new Map() }
      gathered.item ??= answer.item
      gathered.answers.set(column, answerOf(answer, verdict))
      cases.set(key, gathered)
    },
    addTotal(cell) {
      if (!cells.has(placeKey(cell))) cells.set(placeKey(cell), { ...cell })
    },
    columns: () => columns,
    cells: () => [...cells.values()],
    cases: () => [...cases.values()].filter(isTelling).map(comparedCase),
  }
}

const NOTHING = { passed: 0, failed: 0, errored: 0, skipped: 0, open: 0 }

type Counted = { -readonly [Key in keyof TopicCell]: TopicCell[Key] }

interface Gathered {
  readonly first: Answered
  item: Case | null
  readonly answers: Map<number, ComparedAnswer>
}

function placeKey({ column, format, op, profile, topic }: Omit<TopicCell, keyof typeof NOTHING>): string {
  return JSON.stringify([column, format, op, profile, topic])
}

function answerOf({ column, item, reply, reason, raw }: Answered, verdict: ComparedVerdict): ComparedAnswer {
  if (verdict === 'passed') return { column, verdict, said: null, reason: null }
  const said = reply === null ? null : item === null ? plainText(reply) : actualText(item, reply)
  return { column, verdict, said, reason, ...(raw === null ? {} : { raw }) }
}

/** Of a case that is not known here the answer is shown as it came. */
function plainText(reply: Reply): string | null {
  if (reply.kind === 'raised') return `refused: ${reply.error.message}`
  return reply.kind === 'returned' ? printJson(reply.value).trimEnd() : null
}

function isTelling({ answers }: Gathered): boolean {
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
