import type { ToolDefinition } from '../../messages/message.ts'
import type { Profile } from '../../profile.ts'
import { agentToolDefinition, readAgentTool } from './agent-tool.ts'

/**
 * Tools as the ReAct agent of the profile hands them to its prompt: up to v0.0.15 with a human name and a sentence about
 * the arguments, given or not (spec §5).
 *
 * @throws InputError for a tool that no agent can own
 */
export function handedOver(tools: readonly ToolDefinition[], profile: Profile): readonly ToolDefinition[] {
  if (profile.agentToolKeys === 'name-description-parameters') return tools
  return tools.map(
    (tool, index) => new Map([...tool, ...agentToolDefinition(readAgentTool(tool, `tools[${index}]`), profile)]),
  )
}
