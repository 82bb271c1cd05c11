import { attempt, isTooDeepJson, loads } from '@callspec/python'
import { readSource } from './input-file.ts'
import { listMcpTools, mcpName } from './mcp-server.ts'
import { UsageError } from './usage-error.ts'

/** A tool as a request names it; the schema is as it was given. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  /** Absent where the list has none. */
  readonly parameters?: unknown
}

/** The options of commands that take tools from elsewhere. */
export const TOOL_LIST_OPTIONS = {
  tools: {
    value: 'FILE',
    help: 'JSON: a list of tools, or an object with "tools", as a request or an MCP server has it. - is standard input.',
  },
  mcp: {
    value: 'COMMAND',
    help: 'Start an MCP server (stdio) and take the tools that it lists; none is called. Needs the npm package @modelcontextprotocol/client.',
  },
} as const

/** Clients of MCP wait 10 to 60 s for a server. One that needs longer installs something first, which the message says. */
const LIST_TIMEOUT_MS = 20_000

/**
 * The tools of `--tools` or `--mcp`; null if neither is given.
 *
 * @throws UsageError for both, for a file without tools, and for a server that does not list any
 */
export async function listedTools(chosen: {
  readonly tools: string | null
  readonly mcp: string | null
  /** For all pages of an MCP server. Default: 20 s. */
  readonly timeoutMs?: number
}): Promise<readonly ListedTool[] | null> {
  const { tools, mcp, timeoutMs = LIST_TIMEOUT_MS } = chosen
  if (tools !== null && mcp !== null) throw new UsageError('--tools and --mcp both name tools. Give one of them.')
  if (tools !== null) return readToolFile(tools)
  if (mcp === null) return null
  return toolsIn(await listMcpTools(mcp, timeoutMs), mcpName(mcp))
}

/** @throws UsageError for a file that holds no list of tools */
export async function readToolFile(path: string): Promise<readonly ListedTool[]> {
  const { name, text } = await readSource(path)
  if (isTooDeepJson(text)) throw new UsageError(`${name}: is nested more than 995 levels deep.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError(`${name}${placeOfFault(text)}: is not JSON. ${SHAPE}`)
  }
  return toolsIn(value, name)
}

/** `:2:17`, line and column; nothing for what Python reads. V8 names no place for most faults. */
function placeOfFault(text: string): string {
  const outcome = attempt(() => loads(text))
  if (outcome.kind === 'returned') return ''
  const [, line = '1', column = '1'] = /line (\d+) column (\d+)/.exec(outcome.error.message) ?? []
  return `:${line}:${column}`
}

const SHAPE = 'Give a list of tools, or an object with "tools".'

/**
 * Tools in any of three shapes: `{type: "function", function: {name, parameters}}`, the inside of that, and `{name, inputSchema}` of MCP.
 *
 * @throws UsageError with the place
 */
function toolsIn(value: unknown, name: string): readonly ListedTool[] {
  const answer = isObject(value) && isObject(value['result']) ? value['result'] : value
  const list = isObject(answer) ? answer['tools'] : answer
  if (!Array.isArray(list) || list.length === 0) throw new UsageError(`${name}: has no list of tools. ${SHAPE}`)
  return list.map((one: unknown, index) => {
    const tool = isObject(one) && isObject(one['function']) ? one['function'] : one
    if (!isObject(tool) || typeof tool['name'] !== 'string' || tool['name'] === '')
      throw new UsageError(`${name}: tools[${index}] has no "name". Each tool needs one, bare or in "function".`)
    const { description } = tool
    const parameters = tool['parameters'] ?? tool['inputSchema'] ?? tool['input_schema']
    return {
      name: tool['name'],
      description: typeof description === 'string' ? description : '',
      ...(parameters === undefined ? {} : { parameters }),
    }
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
