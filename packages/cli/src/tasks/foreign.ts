import type { ExpectedAnswer, ExpectedCall, ShapePath, TaskDefinition, ToolDefinition } from '@callspec/eval'
import type { TaskData, TaskFault } from './task-data.ts'

/** A suite made of a file of another harness. */
export interface ConvertedTasks {
  readonly definition: {
    readonly tools?: Readonly<Record<string, ToolDefinition>>
    readonly tasks: readonly TaskDefinition[]
  }
  /** Of a place in the definition. */
  place(path: ShapePath): string
  readonly faults: readonly TaskFault[]
}

export type Members = Readonly<Record<string, unknown>>

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Collects tasks with the place that each is from. */
export interface TaskCollector {
  add(task: TaskDefinition, path: ShapePath): void
  /** The key of a tool: tools of one name that differ have different keys. */
  tool(name: string, tool: ToolDefinition, path: ShapePath): string
  fault(path: ShapePath, message: string): void
  result(): ConvertedTasks
}

export function createTaskCollector(data: TaskData): TaskCollector {
  const tasks: TaskDefinition[] = []
  const paths: ShapePath[] = []
  const tools = new Map<string, { readonly tool: ToolDefinition; readonly text: string; readonly path: ShapePath }>()
  const faults: TaskFault[] = [...data.faults]
  return {
    add: (task, path) => {
      tasks.push(task)
      paths.push(path)
    },
    tool: (name, tool, path) => {
      const text = JSON.stringify(tool)
      for (let count = 1; ; count += 1) {
        const key = count === 1 ? name : `${name}:${count}`
        const known = tools.get(key)
        if (known === undefined) tools.set(key, { tool: count === 1 ? tool : { ...tool, name }, text, path })
        if (known === undefined || known.text === text) return key
      }
    },
    fault: (path, message) => void faults.push({ place: data.place(path), message }),
    result: () => ({
      definition: {
        ...(tools.size === 0 ? {} : { tools: Object.fromEntries([...tools].map(([key, { tool }]) => [key, tool])) }),
        tasks,
      },
      place: ([part, key]) => {
        if (part === 'tasks' && typeof key === 'number') return data.place(paths[key] ?? [])
        return data.place(typeof key === 'string' ? (tools.get(key)?.path ?? []) : [])
      },
      faults,
    }),
  }
}

/** The answer that contains one of the texts; a single number as a number. */
export function answerOf(texts: readonly string[]): ExpectedAnswer {
  const [only] = texts
  if (only === undefined) return { any: true }
  if (texts.length > 1) return { re: texts.map(escaped).join('|') }
  return /^-?\d+(?:\.\d+)?$/.test(only.trim()) ? { num: Number(only) } : { all: [only] }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`)
}

/** How a simulated model makes the expected calls. */
export function referenceOf(calls: readonly ExpectedCall[]): NonNullable<TaskDefinition['reference']> {
  const plan = calls.map(({ name, args = {}, oneOf = {} }) => {
    const chosen = Object.entries(oneOf).map(([key, [first]]) => [key, first] as const)
    return { name, args: { ...args, ...Object.fromEntries(chosen) } }
  })
  return { plan: [plan], observations: plan.map(() => '{}'), final: 'Done.' }
}

/** A text or texts; null for anything else. */
export function textsOf(value: unknown): readonly string[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = list.filter((each) => typeof each === 'string' || typeof each === 'number').map(String)
  return texts.length === list.length && texts.length > 0 ? texts : null
}
