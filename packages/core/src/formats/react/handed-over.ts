import type { ToolDefinition } from '../../messages/message.ts'
import type { Profile } from '../../profile.ts'
import { agentToolDefinition, readAgentTool } from './agent-tool.ts'

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
