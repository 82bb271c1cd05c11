import type { PostprocessRequest, PreprocessRequest } from '../format.ts'
import { FNCALL_FUNCTIONS, isFncallName } from '../formats/fncall.ts'
import type { FncallFunctions, FncallName } from '../formats/fncall.ts'
import type { AgentTool } from '../formats/react/agent-tool.ts'
import type { ReactPromptRequest } from '../formats/react/prompt.ts'
import { attempt, InputError } from '@callspec/python'
import type { ItemMessage, Message, TextMessage, ToolDefinition } from '../messages/message.ts'
import type { Profile } from '../profile.ts'
import type { Outcome } from '@callspec/python'
import * as reference from '../reference.ts'
import type { StopWordOptions } from '../stop-words.ts'
import { checkLanguage, checkProfile, givenMessages, givenTools } from './given.ts'

/** `preprocess_fncall_messages` of the format that `fncall_prompt_type` names. */
export function preprocessFncallMessages(
  format: FncallName,
  request: PreprocessRequest,
): Outcome<readonly ItemMessage[]> {
  const given = givenPrompt(request)
  const { preprocess } = functionsOf(format)
  return attempt(() => preprocess(given))
}

/** `postprocess_fncall_messages` of the format that `fncall_prompt_type` names. */
export function postprocessFncallMessages(
  format: FncallName,
  request: PostprocessRequest,
): Outcome<readonly Message[]> {
  const given = givenReply(request)
  const { postprocess } = functionsOf(format)
  return attempt(() => postprocess(given))
}

/** The messages with calls and results flattened to ✿ text and the tool section added (spec §6.2). */
export function qwenPreprocessFncallMessages(request: PreprocessRequest): Outcome<readonly ItemMessage[]> {
  const given = givenPrompt(request)
  return attempt(() => reference.qwenPreprocessFncallMessages(given))
}

/** What the model answered, with its ✿ calls found (spec §6.3). */
export function qwenPostprocessFncallMessages(request: PostprocessRequest): Outcome<readonly Message[]> {
  const given = givenReply(request)
  return attempt(() => reference.qwenPostprocessFncallMessages(given))
}

/** The messages with calls and results flattened to XML-like text and the tool section added (spec §7.2). */
export function nousPreprocessFncallMessages(request: PreprocessRequest): Outcome<readonly ItemMessage[]> {
  const given = givenPrompt(request)
  return attempt(() => reference.nousPreprocessFncallMessages(given))
}

/** What the model answered, with its calls between `<tool_call>` tags found (spec §7.3). */
export function nousPostprocessFncallMessages(request: PostprocessRequest): Outcome<readonly Message[]> {
  const given = givenReply(request)
  return attempt(() => reference.nousPostprocessFncallMessages(given))
}

/** The messages of the first model call of a ReAct agent (spec §12). */
export function buildReactPrompt(request: ReactPromptRequest): Outcome<readonly TextMessage[]> {
  const messages = givenMessages(request.messages, request.profile)
  const tools = givenTools(request.tools, 'tools')
  return attempt(() => reference.buildReactPrompt({ ...request, messages, tools }))
}

/**
 * What the model answered, cut at stop words, also at one whose last token is missing (spec §8.7).
 *
 * @throws InputError where a word needs a tokenizer and none is given, and for messages of the wrong form
 */
export function postprocessStopWords(
  messages: readonly Message[],
  options: StopWordOptions,
): Outcome<readonly ItemMessage[]> {
  const given = givenMessages(messages, options.profile)
  return attempt(() => reference.postprocessStopWords(given, options))
}

/** The block that describes a tool in the ✿ format (spec §5.1), without a newline at its end. */
export function describeTool(tool: ToolDefinition, options: { readonly lang: 'en' | 'zh' }): Outcome<string> {
  const [given = tool] = givenTools([tool], 'tools')
  checkLanguage(options.lang, 'lang')
  return attempt(() => reference.describeTool(given, options))
}

/** The names that fill `tool_names`, joined by a comma (spec §6.1). A tool without a name counts as the empty name. */
export function toolNames(tools: readonly ToolDefinition[], profile: Profile): Outcome<string> {
  checkProfile(profile)
  const given = givenTools(tools, 'tools')
  return attempt(() => reference.toolNames(given, profile))
}

/** What the agent classes of the profile hand over for a tool (spec §5), keys in their order. */
export function agentToolDefinition(tool: AgentTool, profile: Profile): Outcome<ToolDefinition> {
  checkProfile(profile)
  return attempt(() => reference.agentToolDefinition(tool, profile))
}

function functionsOf(format: unknown): FncallFunctions {
  if (isFncallName(format)) return FNCALL_FUNCTIONS[format]
  const known = Object.keys(FNCALL_FUNCTIONS).join(', ')
  throw new InputError('format', `"${String(format)}" is not one of the formats that have these functions: ${known}.`)
}

function givenPrompt(request: PreprocessRequest): PreprocessRequest {
  checkLanguage(request.lang, 'lang')
  return {
    ...request,
    messages: givenMessages(request.messages, request.profile),
    functions: givenTools(request.functions),
  }
}

function givenReply(request: PostprocessRequest): PostprocessRequest {
  return { ...request, messages: givenMessages(request.messages, request.profile) }
}
