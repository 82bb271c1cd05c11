import type { NamedToolDefinition, SuiteDefinition, TaskDefinition } from '@callspec/eval'
import { makeSuite, SuiteError } from '@callspec/eval'
import { bounded } from '@callspec/eval/guards'
import type { SampleReply } from '@callspec/grammar'
import { sampleReplies } from '@callspec/grammar'
import { mcpName } from '../mcp-server.ts'
import type { ListedTool } from '../tool-list.ts'
import { listedTools } from '../tool-list.ts'
import { UsageError } from '../usage-error.ts'

/** Tools that a file or an MCP server lists, without anything that could run them. */
export interface OfferedTools {
  /** Where they are from: a path, or `--mcp "COMMAND"`. */
  readonly source: string
  readonly tools: readonly NamedToolDefinition[]
}

/**
 * The tools of --tools or --mcp; null without either.
 *
 * @throws UsageError for tools that no format can write: a name with blanks, something else than a schema, two of one name
 */
export async function readOfferedTools(given: {
  readonly tools: string | null
  readonly mcp: string | null
}): Promise<OfferedTools | null> {
  const listed = await listedTools(given)
  if (listed === null) return null
  const source = given.tools === '-' ? 'stdin' : (given.tools ?? mcpName(given.mcp ?? ''))
  const tools = listed.map(definitionOf)
  checkTools(tools, source)
  return { source, tools }
}

function definitionOf({ name, description, parameters }: ListedTool): NamedToolDefinition {
  const schema = parameters ?? { type: 'object', properties: {} }
  return { name, description, parameters: schema as NamedToolDefinition['parameters'] }
}

/** The checks are those of a suite with these tools. */
function checkTools(tools: readonly NamedToolDefinition[], source: string): void {
  try {
    makeSuite({ tools, tasks: [{ id: 'none', query: 'none', tools: [] }] }, { name: 'tools' })
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    throw new UsageError(`${source}: ${error.message}.`)
  }
}

/**
 * A suite with the tools. Tasks without `tools` offer all of them. A task whose tools are all without results ends with its first call,
 * unless it says otherwise: nothing could answer.
 *
 * @param value a suite as it is in a file; of wrong parts nothing is changed, so that its check finds them
 */
export function withOfferedTools(value: unknown, { tools }: OfferedTools): unknown {
  if (!isObject(value) || !Array.isArray(value['tasks'])) return value
  const own = toolsByName(value['tools'])
  if (own === null) return value
  const listed = Object.fromEntries(tools.map(({ name, ...tool }) => [name, tool]))
  const names = tools.map(({ name }) => name)
  const hasNoResult = new Set(names.filter((name) => !Object.hasOwn(own, name)))
  const tasks = value['tasks'].map((task: unknown) => {
    if (!isObject(task)) return task
    const offered = task['tools'] ?? names
    const isUnanswered = Array.isArray(offered) && offered.every((name) => hasNoResult.has(name as string))
    const until = isUnanswered && task['reference'] === undefined ? { until: 'call' } : {}
    return { ...until, ...task, tools: offered }
  })
  return { ...value, tools: { ...listed, ...own }, tasks }
}

function toolsByName(tools: unknown): Readonly<Record<string, unknown>> | null {
  if (tools === undefined) return {}
  if (!Array.isArray(tools)) return isObject(tools) ? tools : null
  const named = tools.map((tool: unknown) => {
    if (!isObject(tool) || typeof tool['name'] !== 'string') return null
    const { name, ...rest } = tool
    return [name, rest] as const
  })
  const found = named.filter((each) => each !== null)
  return found.length < tools.length || new Set(found.map(([name]) => name)).size < tools.length
    ? null
    : Object.fromEntries(found)
}

/** So many calls of one tool are asked for: the required arguments, all of them, and values that are hard to write. */
const CALLS_PER_TOOL = 4
const HARD_VALUE = /\\[n"\\]|[^ -~]|<\//

/**
 * Tasks that ask for calls of each tool with given arguments, which fit its schema. Solving them takes no knowledge: they show whether a
 * format carries the calls of these tools.
 *
 * @throws UsageError if no tool has a schema for which arguments could be made
 */
export function suiteOfTools({ source, tools }: OfferedTools): SuiteDefinition {
  const offered = tools.map(({ name }) => name)
  const tasks = tools.flatMap((tool) => tasksOf(tool, offered))
  if (tasks.length === 0)
    throw new UsageError(
      `${source}: no arguments could be made that fit the schemas of these tools. Write tasks: --suite FILE.`,
    )
  return { name: 'tools', tools, tasks }
}

function tasksOf(tool: NamedToolDefinition, offered: readonly string[]): readonly TaskDefinition[] {
  // Patterns of a schema come from a server: a slow one ends after a second.
  const none = { thoughts: false, several: false, prose: false }
  const replies = bounded(tool, () => sampleReplies([tool], none)) ?? []
  const [plain, others] = [replies.slice(0, 2), replies.slice(2)]
  const isHard = ({ calls }: SampleReply): boolean => HARD_VALUE.test(JSON.stringify(calls[0]?.arguments))
  const chosen = [...plain, ...others.filter(isHard), ...others.filter((reply) => !isHard(reply))].slice(
    0,
    CALLS_PER_TOOL,
  )
  return chosen.flatMap(({ calls: [call] }, index) => {
    if (call === undefined) return []
    const args = JSON.stringify(call.arguments)
    const expected = { name: tool.name, args: call.arguments }
    return [
      {
        id: `${tool.name}-${index + 1}`,
        category: tool.name,
        query: `Call the tool ${tool.name} once, with exactly these arguments (JSON): ${args}`,
        tools: offered,
        until: 'call' as const,
        verdict: { must: [expected], gold: [expected], maxCalls: 1 },
        reference: { plan: [[expected]], observations: ['{"ok":true}'], final: 'Done.' },
      },
    ]
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
