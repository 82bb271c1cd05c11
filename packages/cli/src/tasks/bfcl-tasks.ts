import type { ExpectedCall, ToolDefinition } from '@callspec/eval'
import type { ConvertedTasks, Members, TaskCollector } from './foreign.ts'
import { conversationIn } from './conversation.ts'
import { createTaskCollector, isMembers, referenceOf } from './foreign.ts'
import type { TaskData } from './task-data.ts'

/** Rows of BFCL: `id`, `question` as a list of turns, mostly `function`. */
export function isBfclRow(row: Members): boolean {
  return Array.isArray(row['question']) || ('question' in row && 'function' in row)
}

/** Questions that no function answers. */
const NO_CALL = /irrelevance/

/**
 * Tasks of BFCL's questions with one turn; the first reply with a call ends a task.
 *
 * @param answers `ground_truth` by id, of `possible_answer`
 */
export function bfclTasks(data: TaskData, answers: ReadonlyMap<string, unknown>): ConvertedTasks {
  const collector = createTaskCollector(data)
  for (const [index, row] of (Array.isArray(data.value) ? (data.value as readonly unknown[]) : []).entries())
    addRow(row, index, { collector, answers })
  return collector.result()
}

interface Context {
  readonly collector: TaskCollector
  readonly answers: ReadonlyMap<string, unknown>
}

function addRow(row: unknown, index: number, { collector, answers }: Context): void {
  const path = [index]
  const { id, question, function: functions } = isMembers(row) ? row : {}
  if (typeof id !== 'string') return collector.fault(path, 'no "id". Every question needs one')
  const turns: readonly unknown[] = Array.isArray(question) ? question : []
  const isNested = turns.every((turn) => Array.isArray(turn))
  if (isNested && turns.length > 1)
    return collector.fault(
      path,
      `${id}: ${turns.length} turns. Only questions with one turn can be tasks: the replies between turns are not in the file`,
    )
  const asked = conversationIn(isNested ? turns[0] : question)
  if ('fault' in asked)
    return collector.fault([...path, 'question', ...(isNested ? [0] : []), ...asked.path], `${id}: ${asked.fault}`)
  if (functions === undefined)
    return collector.fault(path, `${id}: no "function". BFCL's own programs bring the functions of this category along`)
  const list: readonly unknown[] = Array.isArray(functions) ? functions : [functions]
  const keys: string[] = []
  for (const tool of list) {
    const read = toolOf(tool)
    if (typeof read === 'string') return collector.fault(path, `${id}: ${read}`)
    keys.push(collector.tool(read.name, read.tool, path))
  }
  const category = id.replace(/_\d+(?:-\d+)*$/, '')
  const common = { id, category, ...asked, tools: [...new Set(keys)], until: 'call' as const }
  if (NO_CALL.test(category)) return collector.add({ ...common, verdict: { maxCalls: 0 } }, path)
  const truth = (isMembers(row) ? row['ground_truth'] : undefined) ?? answers.get(id)
  if (truth === undefined) return collector.add({ ...common, verdict: { minCalls: 1 } }, path)
  const must = callsOf(truth)
  if (must === null)
    return collector.fault(path, `${id}: ground_truth is no list of calls such as [{"name": {"argument": [values]}}]`)
  collector.add({ ...common, verdict: { must, maxCalls: must.length }, reference: referenceOf(must) }, path)
}

function toolOf(value: unknown): { readonly name: string; readonly tool: ToolDefinition } | string {
  const { name, description, parameters } = isMembers(value) ? value : {}
  if (typeof name !== 'string') return 'a function without a "name"'
  const schema = schemaOf(parameters ?? { type: 'object', properties: {} })
  if (typeof schema === 'string') return `${name}: ${schema}`
  return {
    name,
    tool: { description: typeof description === 'string' ? description : '', parameters: schema as Members },
  }
}

/** BFCL's names of types that JSON Schema calls otherwise; null for any type. */
const TYPES: ReadonlyMap<string, string | null> = new Map([
  ...['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'].map((name) => [name, name] as const),
  ['dict', 'object'],
  ['float', 'number'],
  ['tuple', 'array'],
  ['any', null],
])
const MAX_DEPTH = 50

function schemaOf(value: unknown, depth = 0): unknown {
  if (!isMembers(value) || depth > MAX_DEPTH) return value
  const { type, properties, items, ...rest } = value
  const known = typeof type === 'string' ? TYPES.get(type) : undefined
  if (typeof type === 'string' && known === undefined)
    return `the type ${JSON.stringify(type)} is unknown to JSON Schema: functions of Java and JavaScript cannot be tools here`
  const made: Record<string, unknown> = { ...(known == null ? {} : { type: known }), ...rest }
  if (isMembers(properties)) {
    const entries = Object.entries(properties).map(([key, each]) => [key, schemaOf(each, depth + 1)] as const)
    const wrong = entries.find(([, each]) => typeof each === 'string')
    if (wrong !== undefined) return wrong[1]
    made['properties'] = Object.fromEntries(entries)
  }
  if (items !== undefined) made['items'] = schemaOf(items, depth + 1)
  return typeof made['items'] === 'string' ? made['items'] : made
}

/** `[{"f": {"a": [1], "b": ["x", ""]}}]`: an argument has one of its values; with "" among them it may be left out. */
function callsOf(truth: unknown): readonly ExpectedCall[] | null {
  if (!Array.isArray(truth)) return null
  const calls = (truth as readonly unknown[]).map((each): ExpectedCall | null => {
    const [entry] = isMembers(each) ? Object.entries(each) : []
    if (entry === undefined || !isMembers(entry[1])) return null
    const [name, given] = entry
    const lists = Object.entries(given).map(
      ([key, values]) => [key, Array.isArray(values) ? (values as unknown[]) : [values]] as const,
    )
    const optional = lists.filter(([, values]) => values.includes('') && values.length > 1)
    const required = lists.filter(([, values]) => !(values.includes('') && values.length > 1) && values.length > 0)
    return {
      name,
      ...(required.length === 0
        ? {}
        : { oneOf: Object.fromEntries(required.map(([key, values]) => [key, values.map(plainValue)])) }),
      ...(optional.length === 0
        ? {}
        : {
            ifGiven: Object.fromEntries(
              optional.map(([key, values]) => [key, values.filter((value) => value !== '').map(plainValue)]),
            ),
          }),
    }
  })
  return calls.every((call) => call !== null) ? calls : null
}

/** In an object BFCL lists the values of each member; the first of them counts. */
function plainValue(value: unknown): unknown {
  if (!isMembers(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, values]) => [
      key,
      plainValue(Array.isArray(values) ? (values as unknown[])[0] : values),
    ]),
  )
}
