import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { SuiteError, checkTasks, SUITE_SHAPE, TOOLS_SHAPE } from './suite-shape.ts'
import type {
  Suite,
  Task,
  TaskLanguage,
  ToolSpec,
  Verdict,
  Description,
  SuiteDefinition,
  TaskDefinition,
  ToolDefinition,
} from '../trace/task.ts'
import { CATEGORIES } from '../trace/task.ts'
import { ownFile } from '../text/own-file.ts'
import type { ShapePath } from '../shape/shape.ts'
import { checkShape } from '../shape/shape.ts'
import { earlierMessages } from './task-messages.ts'
import { schemaFault } from '../world/argument-issues.ts'
import { ownToolbox } from '../world/own-toolbox.ts'
import type { JsonRecord } from '../text/json.ts'

/** The built-in suite, in the clone and in the published package. */
const BUILT_IN_SUITE: string = ownFile('data/tasks.json')

/**
 * The 42 built-in tasks with their 21 tools. The file contains reference plans and recorded results, too, which only the simulated
 * models read (`sim/reference.ts`).
 */
export function loadBuiltInSuite(): Suite {
  return readSuite(readFileSync(BUILT_IN_SUITE, 'utf8'), 'tasks.json')
}

/**
 * Reads a file in the form of the built-in one: tools as they are sent, in both languages.
 *
 * @throws SuiteError naming the file and the field
 */
export function readSuite(text: string, file: string): Suite {
  const root = parsedSuite(text, file)
  const tools = new Map(
    Object.entries(readRecord(root['tools'], `${file}: tools`)).map(([name, tool]) => [
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

function parsedSuite(text: string, file: string): JsonRecord {
  try {
    return readRecord(JSON.parse(text) as unknown, file)
  } catch (error) {
    if (error instanceof SyntaxError) throw broken(`${file}: ${error.message}`)
    throw error
  }
}

function readTool(value: unknown, where: string): Readonly<Record<TaskLanguage, ToolSpec>> {
  const languages = readRecord(value, where)
  const one = (language: TaskLanguage): ToolSpec => {
    const place = `${where}.${language}.function`
    const tool = readRecord(readRecord(languages[language], `${where}.${language}`)['function'], place)
    return {
      name: text(tool, 'name', place),
      description: text(tool, 'description', place),
      parameters: readRecord(tool['parameters'], `${place}.parameters`),
    }
  }
  return { en: one('en'), zh: one('zh') }
}

function readTask(value: unknown, where: string): Task {
  const row = readRecord(value, where)
  const id = text(row, 'id', where)
  const category = CATEGORIES.find((name) => name === row['category'])
  const lang = row['lang']
  if (category === undefined) throw broken(`${where}: "category" of "${id}" must be one of ${CATEGORIES.join(', ')}`)
  if (lang !== 'en' && lang !== 'zh') throw broken(`${where}: "lang" of "${id}" must be "en" or "zh"`)
  const guard = readRecord(row['loop_guard'] ?? {}, `${where}.loop_guard`)
  return {
    id,
    category,
    lang,
    query: text(row, 'query', where),
    tools: (Array.isArray(row['tools']) ? row['tools'] : []).map(String),
    verdict: readRecord(row['verdict'], `${where}.verdict`) as unknown as Verdict,
    goldCalls: plannedCalls(row['reference']),
    maxModelCalls: Number(row['max_llm_calls'] ?? 20),
    maxIdentical: Number(guard['max_identical'] ?? 2),
  }
}

/** The number of planned calls, without the plan. */
function plannedCalls(reference: unknown): number {
  const plan = typeof reference === 'object' && reference !== null && 'plan' in reference ? reference.plan : []
  return Array.isArray(plan) ? plan.flat().length : 0
}

function broken(message: string): SuiteError {
  return new SuiteError({ path: [], message })
}

function readRecord(value: unknown, where: string): JsonRecord {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonRecord
  throw broken(`${where} is missing or no object`)
}

function text(fields: JsonRecord, name: string, where: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw broken(`${where}: "${name}" is missing or no text`)
}

export interface SuiteSource {
  /** The name in reports of a suite without a name. */
  readonly name: string
  /** The export `tools` of the module `toolsModule`. */
  readonly moduleTools?: unknown
}

/**
 * Makes a suite from a user's definition. Tasks may offer its own tools and the built-in ones; an own tool replaces a built-in one of
 * the same name.
 *
 * @throws SuiteError at the first mistake: an unknown key, a duplicate id, an unknown tool, a verdict that cannot pass
 */
export function makeSuite(value: unknown, { name, moduleTools }: SuiteSource): Suite {
  const definition = checkedSuite(value)
  const builtIn = loadBuiltInSuite()
  const own = new Map([
    ...suiteTools(definition.tools ?? {}, ['tools']),
    ...(moduleTools === undefined ? [] : suiteTools(checkedTools(moduleTools), ['toolsModule'])),
  ])
  const tools = new Map([...builtIn.tools, ...[...own].map(([id, tool]) => [id, specsOf(id, tool)] as const)])
  checkTasks(definition.tasks, { known: tools, own })
  return {
    name: definition.name ?? name,
    version: definition.version ?? '0',
    hash: hashOf(definition, own),
    tasks: definition.tasks.map(taskOf),
    tools,
    toolbox: ownToolbox(own, definition.tasks),
  }
}

function checkedSuite(value: unknown): SuiteDefinition {
  const fault = checkShape(SUITE_SHAPE, value)
  if (fault !== null) throw new SuiteError(fault)
  return value as SuiteDefinition
}

function checkedTools(value: unknown): NonNullable<SuiteDefinition['tools']> {
  const fault = checkShape(TOOLS_SHAPE, value, ['toolsModule'])
  if (fault !== null) throw new SuiteError(fault)
  return value as NonNullable<SuiteDefinition['tools']>
}

function suiteTools(
  tools: NonNullable<SuiteDefinition['tools']>,
  path: ShapePath,
): ReadonlyMap<string, ToolDefinition> {
  const found = new Map<string, ToolDefinition>()
  if (!isToolList(tools)) {
    for (const [name, tool] of Object.entries(tools)) addTool(found, { name, tool, path: [...path, name] })
    return found
  }
  for (const [index, tool] of tools.entries()) addTool(found, { name: tool.name, tool, path: [...path, index] })
  return found
}

function addTool(
  found: Map<string, ToolDefinition>,
  { name, tool, path }: { readonly name: string; readonly tool: ToolDefinition; readonly path: ShapePath },
): void {
  if (found.has(name)) throw new SuiteError({ path, message: `there are two tools "${name}"` })
  // Every format writes names into text; one with a line break or a blank cannot be read back.
  if (!/^[\w.:-]{1,64}$/.test(name)) {
    throw new SuiteError({ path, message: `${JSON.stringify(name)} is no name for a tool: letters, digits, _ . : -` })
  }
  if (typeof tool.description !== 'string' && tool.description.en === undefined && tool.description.zh === undefined)
    throw new SuiteError({ path, message: 'the description has no text. Give "en", "zh" or both' })
  const fault = schemaFault(tool.parameters)
  if (fault !== null) throw new SuiteError({ path: [...path, 'parameters'], message: `cannot be used (${fault})` })
  found.set(name, tool)
}

function specsOf(
  key: string,
  { name = key, description, parameters }: ToolDefinition,
): Readonly<Record<TaskLanguage, ToolSpec>> {
  const spec = (language: TaskLanguage): ToolSpec => ({
    name,
    description: inLanguage(description, language),
    parameters,
  })
  return { en: spec('en'), zh: spec('zh') }
}

function inLanguage(description: Description, language: TaskLanguage): string {
  if (typeof description === 'string') return description
  return description[language] ?? description.en ?? description.zh ?? ''
}

function taskOf(task: TaskDefinition): Task {
  return {
    id: task.id,
    category: task.category ?? 'task',
    lang: task.lang ?? 'en',
    ...(task.messages === undefined || task.messages.length === 0 ? {} : { messages: earlierMessages(task.messages) }),
    query: task.query,
    tools: task.tools,
    verdict: { ...task.verdict, answer: task.verdict?.answer ?? { any: true } },
    ...(task.reference === undefined ? {} : { goldCalls: task.reference.plan.flat().length }),
    maxModelCalls: task.max_llm_calls ?? 20,
    maxIdentical: task.loop_guard?.max_identical ?? 2,
    ...(task.until === 'call' ? { until: 'call' } : {}),
  }
}

/** The hash of everything that results depend on: the definition, and the code of its functions. */
function hashOf(definition: SuiteDefinition, own: ReadonlyMap<string, ToolDefinition>): string {
  const text = JSON.stringify([definition, [...own]], (_, value: unknown) =>
    typeof value === 'function' ? Function.prototype.toString.call(value) : value,
  )
  return createHash('sha256').update(text).digest('hex')
}

function isToolList(value: NonNullable<SuiteDefinition['tools']>): value is Extract<typeof value, readonly unknown[]> {
  return Array.isArray(value)
}
