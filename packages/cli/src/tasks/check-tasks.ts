import type { SuiteDefinition, TaskDefinition, ToolDefinition } from '@callspec/eval'
import { makeSuite, SuiteError } from '@callspec/eval'
import { faultError } from '../eval/config/read-config.ts'
import type { PlaceOf } from '../eval/config/read-config.ts'
import { isMembers } from './foreign.ts'

/** All that is wrong with a suite, a line each: `FILE:LINE: what. What to do.` */
export interface SuiteCheck {
  readonly faults: readonly string[]
  /** What can be used, but perhaps is not meant. */
  readonly notes: readonly string[]
  /** How many tasks the file has. */
  readonly tasks: number
}

/**
 * Checks a suite: each tool and each task by itself, so that one fault hides no other.
 *
 * @param place of a path in the definition
 */
export function checkSuite(
  definition: unknown,
  { name, place }: { readonly name: string; readonly place: PlaceOf },
): SuiteCheck {
  const whole = faultOf(definition, { name, place })
  const tasks = isMembers(definition) && Array.isArray(definition['tasks']) ? (definition['tasks'] as unknown[]) : null
  if (!isMembers(definition) || tasks === null) return { faults: whole === null ? [] : [whole], notes: [], tasks: 0 }
  if (whole === null)
    return { faults: [], notes: notesOf(definition as unknown as SuiteDefinition, place), tasks: tasks.length }
  const tools = isMembers(definition['tools']) ? definition['tools'] : {}
  const faults = [
    ...Object.entries(tools).flatMap(([key, tool]) => {
      const alone = { tools: { [key]: tool }, tasks: [{ id: 'none', query: 'none', tools: [] }] }
      return faultOf(alone, { name, place }) ?? []
    }),
    ...tasks.flatMap((task, index) => {
      const alone = { ...definition, tools: toolsFor(task, definition['tools']), tasks: [task] }
      return faultOf(alone, { name, place, index }) ?? []
    }),
    ...twins(tasks, place),
  ]
  // A fault of neither, such as an unknown key of the suite.
  return { faults: faults.length === 0 ? [whole] : [...new Set(faults)], notes: [], tasks: tasks.length }
}

interface FaultSource {
  readonly name: string
  readonly place: PlaceOf
  /** Of the only task in the whole suite. Default: the definition is whole. */
  readonly index?: number
}

function faultOf(definition: unknown, { name, place, index }: FaultSource): string | null {
  try {
    makeSuite(definition, { name })
    return null
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    const { reason: message, unknown } = error
    const isTask = index !== undefined && error.path[0] === 'tasks' && typeof error.path[1] === 'number'
    const path = isTask ? ['tasks', index, ...error.path.slice(2)] : error.path
    return faultError({ path, message, ...(unknown === undefined ? {} : { unknown }) }, place).message
  }
}

/** The tools of the suite that a task offers, if they are an object: the others were checked. */
function toolsFor(task: unknown, tools: unknown): unknown {
  const offered: unknown = isMembers(task) ? task['tools'] : []
  if (!isMembers(tools) || !Array.isArray(offered)) return tools
  const names = new Set(offered as readonly unknown[])
  return Object.fromEntries(Object.entries(tools).filter(([key]) => names.has(key)))
}

function twins(tasks: readonly unknown[], place: PlaceOf): readonly string[] {
  const seen = new Map<unknown, number>()
  return tasks.flatMap((task, index) => {
    const id = isMembers(task) ? task['id'] : undefined
    const first = seen.get(id)
    if (first === undefined) seen.set(id, index)
    if (first === undefined || typeof id !== 'string') return []
    return [
      `${place(['tasks', index, 'id'])}: the id "${id}" is taken (${place(['tasks', first, 'id'])}). Ids must be unique.`,
    ]
  })
}

function notesOf({ tasks, tools = {} }: SuiteDefinition, place: PlaceOf): readonly string[] {
  const listed = Object.entries(tools).map(
    ([key, tool]: [string, ToolDefinition]) => [tool.name ?? key, key, tool] as const,
  )
  const own = new Map(listed.flatMap(([name, key, tool]) => [[name, tool] as const, [key, tool] as const]))
  const hasNoResult = (name: string): boolean => {
    const tool = own.get(name)
    return tool !== undefined && tool.run === undefined && tool.recorded === undefined
  }
  const unanswered = (task: TaskDefinition): boolean =>
    task.until !== 'call' && task.reference === undefined && task.tools.some(hasNoResult)
  const asksNothing = ({ verdict = {}, until }: TaskDefinition): boolean =>
    Object.keys(verdict).length === 0 && until !== 'call'
  const note = (which: (task: TaskDefinition) => boolean, text: string): readonly string[] => {
    const found = tasks.flatMap((task, index) => (which(task) ? [index] : []))
    const [first] = found
    return first === undefined ? [] : [`${place(['tasks', first])}: ${found.length} of ${tasks.length} tasks ${text}`]
  }
  return [
    ...note(
      unanswered,
      'offer a tool without results: a call of it is answered with an error. Give "recorded" or "until": "call".',
    ),
    ...note(asksNothing, 'have no verdict: any answer counts as a success. Give "answer" or "must".'),
  ]
}
