import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { SuiteError } from './suite-shape.ts'
import { CATEGORIES } from '../trace/task.ts'
import type { Suite, Task, TaskLanguage, ToolSpec, Verdict } from '../trace/task.ts'
import { ownFile } from '../text/own-file.ts'

/** Where the built-in suite stands, in the clone and in the published package alike. */
const BUILT_IN_SUITE: string = ownFile('data/tasks.json')

/**
 * The 42 built-in tasks with their 21 tools. Reference plans and recorded results stand in the same file, but are not
 * read here: only the simulated models know them (`sim/reference.ts`).
 */
export function loadBuiltInSuite(): Suite {
  return readSuite(readFileSync(BUILT_IN_SUITE, 'utf8'), 'tasks.json')
}

/**
 * Reads a file in the form of the built-in one: tools as they go over the wire, in both languages.
 *
 * @throws SuiteError naming the file and the field
 */
export function readSuite(text: string, file: string): Suite {
  const root = parsed(text, file)
  const tools = new Map(
    Object.entries(record(root['tools'], `${file}: tools`)).map(([name, tool]) => [
      name,
      readTool(tool, `${file}: tools.${name}`),
    ]),
  )
  const rows = root['tasks']
  if (!Array.isArray(rows)) throw broken(`${file}: "tasks" is no list`)
  const tasks = rows.map((row: unknown, index) => readTask(row, `${file}: tasks[${index}]`))
  const ids = new Set<string>()
  for (const task of tasks) {
    if (ids.has(task.id)) throw broken(`${file}: two tasks have the id "${task.id}"`)
    ids.add(task.id)
    const unknown = task.tools.find((name) => !tools.has(name))
    if (unknown !== undefined)
      throw broken(`${file}: task "${task.id}" offers "${unknown}", which is no tool of the file`)
  }
  const hash = createHash('sha256').update(text).digest('hex')
  return { name: 'built-in', hash, version: String(root['version']), tasks, tools }
}

function parsed(text: string, file: string): Fields {
  try {
    return record(JSON.parse(text) as unknown, file)
  } catch (error) {
    if (error instanceof SyntaxError) throw broken(`${file}: ${error.message}`)
    throw error
  }
}

function readTool(value: unknown, where: string): Readonly<Record<TaskLanguage, ToolSpec>> {
  const languages = record(value, where)
  const one = (language: TaskLanguage): ToolSpec => {
    const place = `${where}.${language}.function`
    const tool = record(record(languages[language], `${where}.${language}`)['function'], place)
    return {
      name: text(tool, 'name', place),
      description: text(tool, 'description', place),
      parameters: record(tool['parameters'], `${place}.parameters`),
    }
  }
  return { en: one('en'), zh: one('zh') }
}

function readTask(value: unknown, where: string): Task {
  const row = record(value, where)
  const id = text(row, 'id', where)
  const category = CATEGORIES.find((name) => name === row['category'])
  const lang = row['lang']
  if (category === undefined) throw broken(`${where}: "category" of "${id}" must be one of ${CATEGORIES.join(', ')}`)
  if (lang !== 'en' && lang !== 'zh') throw broken(`${where}: "lang" of "${id}" must be "en" or "zh"`)
  const guard = record(row['loop_guard'] ?? {}, `${where}.loop_guard`)
  return {
    id,
    category,
    lang,
    query: text(row, 'query', where),
    tools: (Array.isArray(row['tools']) ? row['tools'] : []).map(String),
    verdict: record(row['verdict'], `${where}.verdict`) as unknown as Verdict,
    goldCalls: plannedCalls(row['reference']),
    maxModelCalls: Number(row['max_llm_calls'] ?? 20),
    maxIdentical: Number(guard['max_identical'] ?? 2),
  }
}

/** The number of planned calls, and nothing else of the plan. */
function plannedCalls(reference: unknown): number {
  const plan = typeof reference === 'object' && reference !== null && 'plan' in reference ? reference.plan : []
  return Array.isArray(plan) ? plan.flat().length : 0
}

function broken(message: string): SuiteError {
  return new SuiteError({ path: [], message })
}

type Fields = Readonly<Record<string, unknown>>

function record(value: unknown, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw broken(`${where} is missing or no object`)
}

function text(fields: Fields, name: string, where: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw broken(`${where}: "${name}" is missing or no text`)
}
