import { setTimeout as wait } from 'node:timers/promises'
import { canonicalJson, objectIn } from '../text/json.ts'
import type {
  RecordedResult,
  Task,
  TaskDefinition,
  ToolContext,
  ToolDefinition,
  StateValue,
  Toolbox,
  ToolCall,
  ToolReply,
} from '../trace/task.ts'
import { argumentIssues } from './argument-issues.ts'
import { readArguments, builtInToolbox } from './call-tool.ts'
import { failedTool } from './world.ts'

/** The time limit of a call of a tool. */
const PATIENCE_MS = 60_000

/** The suite's own tools, before the built-in ones. */
export function ownToolbox(own: ReadonlyMap<string, ToolDefinition>, tasks: readonly TaskDefinition[]): Toolbox {
  const definitions = new Map(tasks.map((task) => [task.id, task]))
  const known = new Map<string, Recordings>()
  const recordingsFor = (id: string): Recordings => {
    const found = known.get(id) ?? recordingsOf(own, definitions.get(id))
    known.set(id, found)
    return found
  }
  return (task) => {
    const builtIn = builtInToolbox(task)
    const endsHere = task.until === 'call'
    const recordings = { of: recordingsFor(task.id), taken: new Map<string, number>(), endsHere }
    const context: ToolContext = { task: task.id, state: {} }
    return {
      call: (call) => {
        const tool = own.get(call.name) ?? toolNamed(call.name, task, own)
        return tool === undefined ? builtIn.call(call) : answer(call, { tool, context, recordings })
      },
      stateAt: (path) => ownState(context.state, path) ?? builtIn.stateAt(path),
    }
  }
}

/** Of tools that share a name, the one that the task offers. */
function toolNamed(
  name: string,
  { tools }: Task,
  own: ReadonlyMap<string, ToolDefinition>,
): ToolDefinition | undefined {
  return tools.map((key) => own.get(key)).find((tool) => tool?.name === name)
}

interface ToolRequest {
  readonly tool: ToolDefinition
  readonly context: ToolContext
  readonly recordings: {
    readonly of: Recordings
    readonly taken: Map<string, number>
    /** Whether the call ends the episode: no model reads its result. */
    readonly endsHere: boolean
  }
}

const NOT_RUN: ToolReply = { text: '{"not_run":true}', isError: false }

/** Results by call, in their order. */
type Recordings = ReadonlyMap<string, readonly unknown[]>

async function answer(
  { name, arguments: text, schema }: ToolCall,
  { tool, context, recordings }: ToolRequest,
): Promise<ToolReply> {
  const read = readArguments(text)
  if (read.kind === 'unreadable') return errorReply('bad_arguments', read.message)
  const issue = argumentIssues(read.value, schema)[0]
  if (issue !== undefined) return errorReply('bad_arguments', issue.message)
  const args = read.value as Readonly<Record<string, unknown>>
  if (tool.run === undefined) return recordedReply(callText(name, args), recordings)
  try {
    return replyOf(await inTime(async () => tool.run?.(args, context)))
  } catch (error) {
    return errorReply('tool_exception', error instanceof Error ? error.message : String(error))
  }
}

async function inTime(work: () => Promise<unknown>): Promise<unknown> {
  const done = new AbortController()
  const late = async (): Promise<never> => {
    await wait(PATIENCE_MS, undefined, { signal: done.signal, ref: false })
    throw new Error(`no result within ${PATIENCE_MS / 1000} s`)
  }
  const timer = late()
  timer.catch(() => undefined)
  try {
    return await Promise.race([work(), timer])
  } finally {
    done.abort()
  }
}

/** The next result for the arguments; the last one is repeated. */
function recordedReply(call: string, { of, taken, endsHere }: ToolRequest['recordings']): ToolReply {
  const results = of.get(call)
  if (results === undefined && endsHere) return NOT_RUN
  if (results === undefined) return errorReply('not_recorded', 'no result is recorded for these arguments')
  const next = taken.get(call) ?? 0
  taken.set(call, next + 1)
  return replyOf(results[Math.min(next, results.length - 1)])
}

/** A text stays unchanged, other values become JSON. */
function replyOf(result: unknown): ToolReply {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null')
  return { text, isError: isErrorText(text) }
}

/** Results with a member "error" are errors, as those of the built-in tools are. */
function isErrorText(text: string): boolean {
  const result = /^\s*\{/.test(text) ? objectIn(text) : null
  return result !== null && Object.hasOwn(result, 'error')
}

function errorReply(code: string, message: string): ToolReply {
  return { text: JSON.stringify(failedTool(code, message).result), isError: true }
}

/** The recorded results by call: those of the tools, and of the task's reference plan. */
function recordingsOf(own: ReadonlyMap<string, ToolDefinition>, task: TaskDefinition | undefined): Recordings {
  const found = new Map<string, readonly unknown[]>()
  const add = (name: string, { args, result }: RecordedResult): void => {
    const key = callText(name, args)
    found.set(key, [...(found.get(key) ?? []), result])
  }
  const { plan = [], observations = [] } = task?.reference ?? {}
  for (const [index, { name, args }] of plan.flat().entries()) add(name, { args, result: observations[index] })
  const planned = new Set(found.keys())
  for (const [name, { recorded: results = [] }] of own) {
    // The records of a task come first.
    for (const each of results) if (!planned.has(callText(name, each.args))) add(name, each)
  }
  return found
}

function callText(name: string, args: unknown): string {
  return `${name} ${canonicalJson(args)}`
}

/** A member of this name, or the nested path through the state. */
function ownState(state: Readonly<Record<string, unknown>>, path: string): StateValue {
  if (Object.hasOwn(state, path)) return asStateValue(state[path])
  let found: unknown = state
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null) return null
    if (Array.isArray(found) && part === 'length') found = found.length
    else found = Object.hasOwn(found, part) ? (found as Readonly<Record<string, unknown>>)[part] : null
  }
  return asStateValue(found)
}

function asStateValue(value: unknown): StateValue {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  return JSON.stringify(value)
}
