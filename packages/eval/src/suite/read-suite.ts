import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CATEGORIES } from './task.ts'
import type { Category, Suite, Task, TaskLanguage, ToolSpec, Verdict } from './task.ts'

/** Where the built-in suite stands, in the clone and in the published package alike. */
export const BUILT_IN_SUITE: URL = new URL('../../data/tasks.json', import.meta.url)

/** The suite file is not what it should be. */
export class SuiteError extends Error {}

/**
 * The 42 built-in tasks with their 21 tools. Reference plans and recorded results stand in the same file, but are not
 * read here: only the simulated models know them (`sim/reference.ts`).
 */
export function loadBuiltInSuite(): Suite {
  return readSuite(readFileSync(BUILT_IN_SUITE, 'utf8'), 'tasks.json')
}

/** @throws SuiteError naming the file and the field */
export function readSuite(text: string, file: string): Suite {
  const root = parsed(text, file)
  const tools = new Map(
    Object.entries(record(root['tools'], `${file}: tools`)).map(([name, tool]) => [
      name,
      readTool(tool, `${file}: tools.${name}`),
    ]),
  )
  const rows = root['tasks']
  if (!Array.isArray(rows)) throw new SuiteError(`${file}: "tasks" is no list`)
  const tasks = rows.map((row: unknown, index) => readTask(row, `${file}: tasks[${index}]`))
  const ids = new Set<string>()
  for (const task of tasks) {
    if (ids.has(task.id)) throw new SuiteError(`${file}: two tasks have the id "${task.id}"`)
    ids.add(task.id)
    const unknown = task.tools.find((name) => !tools.has(name))
    if (unknown !== undefined)
      throw new SuiteError(`${file}: task "${task.id}" offers "${unknown}", which is no tool of the file`)
  }
  return { hash: createHash('sha256').update(text).digest('hex'), version: String(root['version']), tasks, tools }
}

function parsed(text: string, file: string): Fields {
  try {
    return record(JSON.parse(text) as unknown, file)
  } catch (error) {
    if (error instanceof SyntaxError) throw new SuiteError(`${file}: ${error.message}`)
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
  if (category === undefined)
    throw new SuiteError(`${where}: "category" of "${id}" must be one of ${CATEGORIES.join(', ')}`)
  if (lang !== 'en' && lang !== 'zh') throw new SuiteError(`${where}: "lang" of "${id}" must be "en" or "zh"`)
  const guard = record(row['loop_guard'] ?? {}, `${where}.loop_guard`)
  return {
    id,
    category: category satisfies Category,
    lang,
    query: text(row, 'query', where),
    tools: (Array.isArray(row['tools']) ? row['tools'] : []).map(String),
    verdict: record(row['verdict'], `${where}.verdict`) as unknown as Verdict,
    maxModelCalls: Number(row['max_llm_calls'] ?? 20),
    maxIdentical: Number(guard['max_identical'] ?? 2),
  }
}

type Fields = Readonly<Record<string, unknown>>

function record(value: unknown, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new SuiteError(`${where} is missing or no object`)
}

function text(fields: Fields, name: string, where: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw new SuiteError(`${where}: "${name}" is missing or no text`)
}
