import type { ShapePath, TaskDefinition } from '@callspec/eval'
import type { ConvertedTasks, Members, TaskCollector } from './foreign.ts'
import { conversationIn } from './conversation.ts'
import { answerOf, createTaskCollector, isMembers, textsOf } from './foreign.ts'
import type { TaskData } from './task-data.ts'

/** Samples of OpenAI's evals (`input`, `ideal`) and of Inspect (`input`, `target`). */
export function isSample(row: Members): boolean {
  return 'input' in row
}

/** Tasks without tools: the answer must contain the expected text, or one of several. */
export function sampleTasks(data: TaskData): ConvertedTasks {
  const collector = createTaskCollector(data)
  for (const [index, row] of rowsOf(data).entries()) addSample(row, index, collector)
  return collector.result()
}

function rowsOf({ value }: TaskData): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function addSample(row: unknown, index: number, collector: TaskCollector): void {
  const path = [index]
  if (!isMembers(row)) return collector.fault(path, 'is no object. Every sample needs an "input"')
  const { input, ideal, target, choices, id } = row
  const asked = conversationIn(input)
  if ('fault' in asked) return collector.fault([...path, 'input', ...asked.path], asked.fault)
  if (choices !== undefined)
    return collector.fault(
      path,
      '"choices": a question with choices is put together by a solver of Inspect. Write it into "input"',
    )
  const expected = ideal ?? target
  const texts = expected === undefined ? [] : textsOf(expected)
  if (texts === null)
    return collector.fault(path, 'the expected answer ("ideal" or "target") is no text and no list of texts')
  collector.add(
    {
      id: idOf(id, index),
      category:
        isMembers(row['metadata']) && typeof row['metadata']['category'] === 'string'
          ? row['metadata']['category']
          : 'task',
      ...asked,
      tools: [],
      verdict: { answer: answerOf(texts) },
    },
    path,
  )
}

/** Samples without an id are numbered from 1. */
export function idOf(id: unknown, index: number): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : String(index + 1)
}

/** The columns of a table of tasks in callspec's own form. */
const COLUMNS = [
  'id',
  'messages',
  'query',
  'tools',
  'category',
  'lang',
  'until',
  'answer',
  'answer_num',
  'must',
  'must_not',
  'min_calls',
  'max_calls',
] as const

/** Whether a row of a table is a task in callspec's own form. */
export function isTableTask(row: Members): boolean {
  return 'query' in row
}

/** Tasks of a table: tools separated by blanks or semicolons, calls as JSON. */
export function tableTasks(data: TaskData): ConvertedTasks {
  const collector = createTaskCollector(data)
  const known: ReadonlySet<string> = new Set(COLUMNS)
  const columns = new Set(rowsOf(data).flatMap((row) => Object.keys(isMembers(row) ? row : {})))
  for (const column of columns)
    if (!known.has(column)) collector.fault([], `the column "${column}" is unknown. Known: ${COLUMNS.join(', ')}`)
  for (const [index, row] of rowsOf(data).entries()) if (isMembers(row)) addTableRow(row, index, collector)
  return collector.result()
}

function addTableRow(row: Members, index: number, collector: TaskCollector): void {
  const path = [index]
  const text = (name: (typeof COLUMNS)[number]): string | undefined =>
    typeof row[name] === 'string' ? row[name] : undefined
  const query = text('query')
  if (query === undefined) return collector.fault(path, 'no query. Every task needs a question')
  const read = { path, text, collector }
  const [messages, must, mustNot] = [listIn('messages', read), listIn('must', read), listIn('must_not', read)]
  const numbers = (['min_calls', 'max_calls', 'answer_num'] as const).map((name) => numberIn(name, read))
  if ([messages, must, mustNot, ...numbers].includes(null)) return
  const [minCalls, maxCalls, num] = numbers
  const [answer, lang, until] = [text('answer'), text('lang'), text('until')]
  const expected = { ...(answer === undefined ? {} : { all: [answer] }), ...(num === undefined ? {} : { num }) }
  const verdict = {
    ...(Object.keys(expected).length === 0 ? {} : { answer: expected }),
    ...{ must, mustNot, minCalls, maxCalls },
  }
  const task = {
    ...{ id: text('id') ?? String(index + 1), messages, query, tools: toolsIn(text('tools')) },
    ...{ category: text('category'), lang, until, verdict: withoutMissing(verdict) },
  }
  // The suite's own check finds what is wrong with the values.
  collector.add(withoutMissing(task) as unknown as TaskDefinition, path)
}

function toolsIn(text: string | undefined): readonly string[] | undefined {
  return text === undefined ? undefined : text.split(/[\s;]+/).filter((name) => name !== '')
}

function withoutMissing(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

interface Cell {
  readonly path: ShapePath
  readonly text: (name: (typeof COLUMNS)[number]) => string | undefined
  readonly collector: TaskCollector
}

/** Undefined for an empty field, null for a wrong one. */
function listIn(name: 'messages' | 'must' | 'must_not', { path, text, collector }: Cell): unknown {
  const cell = text(name)
  if (cell === undefined) return undefined
  try {
    const value = JSON.parse(cell) as unknown
    return Array.isArray(value) ? value : [value]
  } catch {
    const form =
      name === 'messages' ? 'a message as {"role": "…", "content": "…"}' : 'a call as {"name": "…", "args": {…}}'
    collector.fault(path, `${name} is not JSON. Write ${form}, or a list of them`)
    return null
  }
}

function numberIn(
  name: 'min_calls' | 'max_calls' | 'answer_num',
  { path, text, collector }: Cell,
): number | null | undefined {
  const cell = text(name)
  if (cell === undefined) return undefined
  const value = Number(cell)
  if (cell.trim() !== '' && Number.isFinite(value)) return value
  collector.fault(path, `${name}: "${cell.slice(0, 60)}" is no number`)
  return null
}
