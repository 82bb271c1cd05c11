import type { ToolFailure, ToolResult } from '../loop.ts'
import type { Content, Message, Profile, AgentTool } from '@callspec/core/qwen-agent'
import type { PyDict, Outcome } from '@callspec/python'
import type { AgentConfig, AgentRun } from '../agents/agent.ts'
import type { KnowledgeEntry } from '../agents/knowledge.ts'
import type { ToolCheckOptions } from '../agents/tool-arguments.ts'
import { attempt } from '@callspec/python'
import * as reference from '../reference.ts'
import { checkProfile, givenMessages } from '@callspec/core/reference'

/** What an agent's inner loop receives: the language, and the messages with the agent's system text (spec §11.1). */
export function beginRun(config: AgentConfig, messages: readonly Message[]): Outcome<AgentRun> {
  const given = givenMessages(messages, config.model.profile)
  return attempt(() => reference.beginRun(config, given))
}

/** `true` for a tool that the reference builds (spec §11.3). */
export function checkTool(tool: AgentTool, options: ToolCheckOptions): Outcome<true> {
  checkProfile(options.profile)
  return attempt(() => {
    reference.checkTool(tool, options)
    return true as const
  })
}

/** What the agent puts into the function message for what a tool gave back (spec §11.3). */
export function formatToolResult(result: ToolResult): Outcome<Content> {
  return attempt(() => reference.formatToolResult(result))
}

/** The result that tells the model of a tool's exception, or the exception itself where agents do not catch it. */
export function toolFailureText(name: string, failure: ToolFailure, profile: Profile): Outcome<string> {
  checkProfile(profile)
  return attempt(() => reference.toolFailureText(name, failure, profile))
}

/** The knowledge block of a system message (spec §13.1); null when there are no entries. */
export function knowledgePrompt(entries: readonly KnowledgeEntry[], language: 'en' | 'zh'): Outcome<string | null> {
  return attempt(() => reference.knowledgePrompt(entries, language))
}

/** The messages with the knowledge block at the end of a first system message, or as one where there is none. */
export function withKnowledge(
  messages: readonly Message[],
  block: string,
  profile: Profile,
): Outcome<readonly Message[]> {
  const given = givenMessages(messages, profile)
  return attempt(() => reference.withKnowledge(given, block, profile))
}

/** What `withKnowledge` gives, as maps, also where the reference breaks a system message of items. */
export function dumpWithKnowledge(
  messages: readonly Message[],
  block: string,
  profile: Profile,
): Outcome<readonly PyDict[]> {
  const given = givenMessages(messages, profile)
  return attempt(() => reference.dumpWithKnowledge(given, block, profile))
}
