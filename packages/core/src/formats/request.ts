import type { RenderRequest } from '../format.ts'
import { InputError } from '@callspec/python'
import type { ToolDefinition } from '../messages/message.ts'
import type { Profile } from '../profile.ts'
import type { PlainValue } from '@callspec/python'
import { readMessages } from '../messages/read-message.ts'
import { readTools } from '../tool-description.ts'
import { resolveProfile } from './reply.ts'
import type { ReplyFormat } from './reply.ts'

/** A request whose data has been looked at. */
export interface CheckedRequest {
  readonly request: RenderRequest
  readonly functions: readonly ToolDefinition[]
  readonly profile: Profile
}

/**
 * Looks at everything that a caller wrote, before work begins.
 *
 * @throws InputError naming the field, such as `messages[2].role` or `tools[0].description`
 */
export function checkRequest(request: RenderRequest, format: ReplyFormat): CheckedRequest {
  const profile = resolveProfile(request.profile, format)
  const { language, toolChoice } = request
  if (language !== 'en' && language !== 'zh') {
    throw new InputError('language', `Unknown language "${String(language)}". Give "en" or "zh".`)
  }
  const functions = readTools(request.tools)
  if (typeof toolChoice === 'object') checkChoice(toolChoice.name, functions)
  return {
    request: { ...request, messages: readMessages(request.messages as unknown as PlainValue, profile) },
    functions,
    profile,
  }
}

function checkChoice(name: string, functions: readonly ToolDefinition[]): void {
  const names = functions.map((tool) => tool.get('name') ?? tool.get('name_for_model'))
  if (names.includes(name)) return
  throw new InputError('toolChoice', `There is no tool "${name}". Known tools: ${names.join(', ')}.`)
}
