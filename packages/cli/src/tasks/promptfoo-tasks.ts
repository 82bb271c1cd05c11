import type { ExpectedAnswer, ShapePath, TaskDefinition, Verdict } from '@callspec/eval'
import type { ConvertedTasks, Members, TaskCollector } from './foreign.ts'
import { conversationIn } from './conversation.ts'
import { answerOf, createTaskCollector, isMembers, textsOf } from './foreign.ts'
import { idOf } from './sample-tasks.ts'
import type { TaskData } from './task-data.ts'

/** A configuration of promptfoo, a list of its tests, or a table with its columns. */
export function isPromptfoo(value: unknown): boolean {
  if (isMembers(value)) return 'prompts' in value || ('tests' in value && !('tasks' in value))
  const [first] = Array.isArray(value) ? (value as readonly unknown[]) : []
  if (!isMembers(first)) return false
  return isMembers(first['vars']) || Array.isArray(first['assert']) || '__expected' in first
}

/**
 * Tasks of promptfoo's tests: the first prompt with the variables of each test. Assertions about texts and tool calls become the verdict;
 * any other one is a fault.
 */
export function promptfooTasks(data: TaskData): ConvertedTasks {
  const collector = createTaskCollector(data)
  const config = isMembers(data.value) ? data.value : {}
  const tests: unknown = Array.isArray(data.value) ? data.value : config['tests']
  const at: ShapePath = Array.isArray(data.value) ? [] : ['tests']
  if (!Array.isArray(tests)) {
    collector.fault(
      at,
      '"tests" is no list: tests in files of their own are not read. Name that file as the suite, or copy them here',
    )
    return collector.result()
  }
  const prompt = firstPrompt(config, collector)
  const keys = toolKeys(config, collector)
  const shared = isMembers(config['defaultTest']) ? config['defaultTest'] : {}
  for (const [index, test] of (tests as readonly unknown[]).entries())
    addTest(test, { path: [...at, index], index, shared, prompt, keys, collector })
  return collector.result()
}

interface Test {
  readonly path: ShapePath
  readonly index: number
  readonly shared: Members
  /** Null if it cannot be used; undefined if there is none. */
  readonly prompt: string | null | undefined
  readonly keys: readonly string[]
  readonly collector: TaskCollector
}

function firstPrompt({ prompts }: Members, collector: TaskCollector): string | null | undefined {
  const list: readonly unknown[] = Array.isArray(prompts) ? prompts : prompts === undefined ? [] : [prompts]
  const [first] = list
  const text = isMembers(first) ? (first['raw'] ?? first['id']) : first
  if (first === undefined) return undefined
  if (typeof text === 'string' && !/^file:\/\/|\.(?:txt|json|js|py|md)$/.test(text.trim())) {
    if (list.length > 1)
      collector.fault(['prompts', 1], 'one prompt makes the tasks. Leave the others out, or make a suite of each')
    return text
  }
  collector.fault(['prompts', 0], 'prompts in files of their own are not read. Write the text here')
  return null
}

/** Tools of the first provider that has a list of some. */
function toolKeys({ providers }: Members, collector: TaskCollector): readonly string[] {
  const list: readonly unknown[] = Array.isArray(providers) ? providers : []
  const tools = list.map((each) => {
    const config = isMembers(each) && isMembers(each['config']) ? each['config'] : {}
    return config['tools'] ?? config['functions']
  })
  const inline = tools.findIndex((each) => Array.isArray(each))
  const index = inline < 0 ? tools.findIndex((each) => each !== undefined) : inline
  const found: unknown = tools[index]
  if (found === undefined) return []
  const path = ['providers', index, 'config', 'tools']
  if (!Array.isArray(found)) {
    collector.fault(
      path,
      'tools in files of their own are not read. Write the list here, or give the file with --tools',
    )
    return []
  }
  return (found as readonly unknown[]).flatMap((tool, at) => {
    const inner = isMembers(tool) && isMembers(tool['function']) ? tool['function'] : tool
    const { name, description, parameters, input_schema: schema } = isMembers(inner) ? inner : {}
    if (typeof name !== 'string') {
      collector.fault([...path, at], 'a tool without a "name"')
      return []
    }
    const given = parameters ?? schema ?? { type: 'object', properties: {} }
    const about = typeof description === 'string' ? description : ''
    return [collector.tool(name, { description: about, parameters: given as Members }, [...path, at])]
  })
}

function addTest(test: unknown, { path, index, shared, prompt, keys, collector }: Test): void {
  if (!isMembers(test)) return collector.fault(path, 'is no object with "vars" or "assert"')
  if (prompt === null) return
  const vars = { ...(isMembers(shared['vars']) ? shared['vars'] : {}), ...varsOf(test) }
  const filled = prompt === undefined ? questionIn(vars) : filledPrompt(messagesIn(prompt), vars)
  if (isMembers(filled)) return collector.fault(path, String(filled['fault']))
  const asked = conversationIn(typeof filled === 'string' ? messagesIn(filled) : filled)
  if ('fault' in asked) {
    const at = asked.path.length === 0 ? '' : `message ${Number(asked.path[0]) + 1} of the prompt: `
    return collector.fault(path, `${at}${asked.fault}`)
  }
  const asserts = [...listOf(shared['assert']), ...assertsOf(test)]
  const { verdict, endsAtCall, faults } = verdictOf(asserts)
  for (const fault of faults) collector.fault([...path, 'assert'], fault)
  if (faults.length > 0) return
  const metadata = isMembers(test['metadata']) ? test['metadata'] : {}
  const task: TaskDefinition = {
    id: idOf(metadata['id'], index),
    category: typeof metadata['category'] === 'string' ? metadata['category'] : 'task',
    ...asked,
    tools: keys,
    verdict,
    ...(endsAtCall ? { until: 'call' as const } : {}),
  }
  collector.add(task, path)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

/** Of a row of a table, the columns without two underscores. */
function varsOf(test: Members): Members {
  if (isMembers(test['vars'])) return test['vars']
  return '__expected' in test ? Object.fromEntries(Object.entries(test).filter(([key]) => !key.startsWith('__'))) : {}
}

function assertsOf(test: Members): readonly unknown[] {
  const cells = Object.entries(test).flatMap(([key, cell]) => (/^__expected\d*$/.test(key) ? [cell] : []))
  return cells.length === 0 ? listOf(test['assert']) : cells.map(assertIn)
}

/** `contains: Paris`, `icontains-all: a, b`; a text without a type must be equal. */
function assertIn(cell: unknown): unknown {
  const [, type, value = ''] = /^([a-z-]+):\s*([^]*)$/.exec(String(cell)) ?? []
  if (type === undefined) return { type: 'equals', value: cell }
  return { type, value: /-(?:all|any)$/.test(type) ? value.split(',').map((each) => each.trim()) : value }
}

/** A list of tests has no prompt of its own: a variable holds the question. */
const QUESTION_NAMES = ['query', 'question', 'prompt', 'input', 'message'] as const

function questionIn(vars: Members): string | { readonly fault: string } {
  const texts = Object.values(vars).filter((each) => typeof each === 'string')
  const named = QUESTION_NAMES.map((name) => vars[name]).find((each) => typeof each === 'string')
  const found = named ?? (texts.length === 1 ? texts[0] : undefined)
  return (
    found ?? { fault: `no variable is the question. Name one of them ${QUESTION_NAMES.join(', ')}, or give "prompts"` }
  )
}

const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g

/** A prompt with the variables in all its texts: a text, a list of messages, or a fault. */
function filledPrompt(prompt: unknown, vars: Members): unknown {
  let fault: { readonly fault: string } | null = null
  const fill = (value: unknown, depth = 0): unknown => {
    if (depth > MAX_DEPTH) return value
    if (Array.isArray(value)) return (value as readonly unknown[]).map((each) => fill(each, depth + 1))
    if (isMembers(value))
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, depth + 1)]))
    const filled = typeof value === 'string' ? fillText(value, vars) : null
    if (filled !== null && typeof filled === 'object') fault ??= filled
    return filled === null || typeof filled === 'object' ? value : filled
  }
  const filled = fill(prompt)
  return fault ?? filled
}

const MAX_DEPTH = 50

function fillText(prompt: string, vars: Members): string | { readonly fault: string } {
  let missing: string | null = null
  const filled = prompt.replaceAll(VARIABLE, (_, name: string) => {
    const value = vars[name]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
    missing ??= name
    return ''
  })
  if (missing !== null)
    return { fault: `the variable "${missing as string}" of the prompt is missing, or is no text. Give it in "vars"` }
  if (/\{%|\{\{/.test(prompt.replaceAll(VARIABLE, () => '')))
    return {
      fault: 'the prompt has statements or filters of a template. Only {{variables}} are filled in: write the text',
    }
  return filled
}

/** A prompt may be a list of messages as JSON; without quotation marks round its variables it is JSON only when they are filled in. */
function messagesIn(prompt: string): unknown {
  if (!prompt.trimStart().startsWith('[')) return prompt
  try {
    const value = JSON.parse(prompt) as unknown
    return Array.isArray(value) ? value : prompt
  } catch {
    return prompt
  }
}

interface Judged {
  readonly verdict: Partial<Verdict>
  readonly endsAtCall: boolean
  readonly faults: readonly string[]
}

/** That a call of a tool was made; the schema of the tool is checked in any case. */
const CALL_TYPES: ReadonlySet<string> = new Set([
  'is-valid-openai-tools-call',
  'is-valid-openai-function-call',
  'is-valid-function-call',
])

function verdictOf(asserts: readonly unknown[]): Judged {
  const faults: string[] = []
  const all: string[] = []
  let answer: ExpectedAnswer = {}
  let calls: Partial<Verdict> = {}
  for (const assert of asserts) {
    const { type, value, transform } = isMembers(assert) ? assert : {}
    if (transform !== undefined) {
      faults.push(
        `the assertion ${JSON.stringify(type) ?? 'without a type'} has a transform, which is code. Remove it, or write the task with a verdict`,
      )
      continue
    }
    const texts = textsOf(value)
    if (typeof type === 'string' && CALL_TYPES.has(type)) calls = { minCalls: 1, ...calls }
    else if (type === 'tool-call-f1' && texts !== null)
      calls = { ...calls, must: texts.flatMap(namesIn).map((name) => ({ name })) }
    else if (isText(type, ['equals', 'contains', 'icontains', 'contains-all', 'icontains-all']) && texts !== null)
      all.push(...texts)
    else if (isText(type, ['contains-any', 'icontains-any']) && texts !== null)
      answer = { ...answer, ...answerOf(texts) }
    else if (type === 'regex' && texts?.[0] !== undefined) answer = { ...answer, re: texts[0] }
    else
      faults.push(
        `the assertion ${JSON.stringify(type) ?? 'without a type'} cannot be judged here. Remove it, or write the task with a verdict`,
      )
  }
  if (all.length > 0) answer = { ...answer, ...(all.length === 1 ? answerOf(all) : { all }) }
  const hasAnswer = Object.keys(answer).length > 0
  return {
    verdict: { ...(hasAnswer ? { answer } : {}), ...calls },
    endsAtCall: Object.keys(calls).length > 0 && !hasAnswer,
    faults,
  }
}

function isText(type: unknown, known: readonly string[]): boolean {
  return typeof type === 'string' && known.includes(type)
}

function namesIn(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim())
}
