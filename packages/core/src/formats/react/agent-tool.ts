import { InputError, fromPlain, hasChinese, isDict, repr, truthy } from '@callspec/python'
import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import type { ToolDefinition } from '../../messages/message.ts'
import type { Profile } from '../../profile.ts'

/** A tool as an agent owns it. What it does is the driver's business. */
export interface AgentTool {
  /** The name that it is registered and called by. */
  readonly name: string
  readonly description: string
  /** A JSON schema as a map, or the older list of parameters. */
  readonly parameters: PyValue
  /** Default: the name. */
  readonly nameForHuman?: string | null
  /** Default: the sentence of the language that the tool is described in. */
  readonly argsFormat?: string | null
  /** Whether calls get the files of the conversation. */
  readonly fileAccess?: boolean
}

const JSON_ARGUMENTS_ZH = '此工具的输入应为JSON对象。'
const JSON_ARGUMENTS_EN = 'Format the arguments as a JSON object.'

/**
 * Reads a tool from a map with `name`, `description`, `parameters`, and optionally `name_for_human`, `args_format` and
 * `file_access`.
 *
 * @param where the place of the tool in the caller's terms, such as `tools[0]`
 * @throws InputError for a missing or ill-typed member
 */
export function readAgentTool(value: PlainValue, where = 'tool'): AgentTool {
  const tool = fromPlain(value, where)
  if (!isDict(tool)) throw new InputError(where, 'This is not a map. Give name, description and parameters.')
  const parameters = tool.get('parameters')
  if (parameters === undefined) throw new InputError(`${where}.parameters`, 'Every tool needs parameters.')
  return {
    name: textMember(tool, 'name', where),
    description: textMember(tool, 'description', where),
    parameters,
    nameForHuman: optionalText(tool, 'name_for_human'),
    argsFormat: optionalText(tool, 'args_format'),
    fileAccess: truthy(tool.get('file_access')),
  }
}

/** What the agent classes of the profile hand over for a tool (spec §5), keys in their order. */
export function agentToolDefinition(tool: AgentTool, profile: Profile): ToolDefinition {
  const schema: readonly (readonly [string, PyValue])[] = [
    ['name', tool.name],
    ['description', tool.description],
    ['parameters', tool.parameters],
  ]
  if (profile.agentToolKeys === 'name-description-parameters') return new Map(schema)
  const nameForHuman = humanName(tool)
  return new Map([
    ['name_for_human', nameForHuman],
    ...schema,
    ['args_format', tool.argsFormat ?? defaultArgsFormat(tool, nameForHuman)],
  ])
}

/** The tools by name. Of two with one name the later one counts, at the place of the first, as in the reference. */
export function toolsByName(tools: readonly AgentTool[]): ReadonlyMap<string, AgentTool> {
  return new Map(tools.map((tool) => [tool.name, tool]))
}

function humanName(tool: AgentTool): string {
  return tool.nameForHuman ?? tool.name
}

function defaultArgsFormat(tool: AgentTool, nameForHuman: string): string {
  const described = repr([nameForHuman, tool.name, tool.description, tool.parameters])
  return hasChinese(described) ? JSON_ARGUMENTS_ZH : JSON_ARGUMENTS_EN
}

function textMember(tool: PyDict, key: string, where: string): string {
  const value = tool.get(key)
  if (typeof value !== 'string') throw new InputError(`${where}.${key}`, `Every tool needs a ${key}, as a text.`)
  return value
}

function optionalText(tool: PyDict, key: string): string | null {
  const value = tool.get(key)
  return typeof value === 'string' ? value : null
}

/**
 * Tools as the ReAct agent of the profile hands them to its prompt: each name once, as `toolsByName` has it, and up to v0.0.15
 * with a human name and a sentence about the arguments, given or not (spec §5).
 *
 * @throws InputError for a tool that no agent can own
 */
export function handedOver(tools: readonly ToolDefinition[], profile: Profile): readonly ToolDefinition[] {
  const owned = lastOfEachName(tools)
  if (profile.agentToolKeys === 'name-description-parameters') return owned
  return owned.map(
    (tool, index) => new Map([...tool, ...agentToolDefinition(readAgentTool(tool, `tools[${index}]`), profile)]),
  )
}

function lastOfEachName(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return [...new Map(tools.map((tool) => [tool.get('name') ?? tool, tool])).values()]
}
