import type { LoopReducer, Step } from '../loop.ts'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { AgentConfig } from '../agents/agent.ts'
import * as assistant from '../agents/assistant.ts'
import type { AssistantConfig, AssistantState } from '../agents/assistant.ts'
import * as fnCall from '../agents/fncall-agent.ts'
import type { FnCallState } from '../agents/fncall-agent.ts'
import * as keywords from '../agents/keyword-agent.ts'
import type { KeywordConfig, KeywordState } from '../agents/keyword-agent.ts'
import * as memory from '../agents/memory-agent.ts'
import type { MemoryConfig, MemoryState } from '../agents/memory-agent.ts'
import * as ownPrompt from '../agents/react-agent.ts'
import type { ReactState } from '../agents/react-agent.ts'
import { givenMessages } from '@callspec/core/reference'

/** A function-calling agent (spec §11) as a reducer; messages of the wrong form are an `InputError` at the start. */
export function fnCallAgent(config: AgentConfig): LoopReducer<FnCallState> {
  return lookingAtMessages(fnCall.fnCallAgent(config), config.model.profile)
}

/** The first step of a function-calling agent. @throws InputError for messages of the wrong form */
export function startFnCall(config: AgentConfig, messages: readonly Message[]): Step<FnCallState> {
  return fnCallAgent(config).start(messages)
}

/** A ReAct agent (spec §12) as a reducer; messages of the wrong form are an `InputError` at the start. */
export function reactAgent(config: AgentConfig): LoopReducer<ReactState> {
  return lookingAtMessages(ownPrompt.reactAgent(config), config.model.profile)
}

/** The first step of a ReAct agent. @throws InputError for messages of the wrong form */
export function startReact(config: AgentConfig, messages: readonly Message[]): Step<ReactState> {
  return reactAgent(config).start(messages)
}

/** The Assistant (spec §13) as a reducer; messages of the wrong form are an `InputError` at the start. */
export function assistantAgent(config: AssistantConfig): LoopReducer<AssistantState> {
  return lookingAtMessages(assistant.assistantAgent(config), config.model.profile)
}

/** The first step of the Assistant. @throws InputError for messages of the wrong form */
export function startAssistant(config: AssistantConfig, messages: readonly Message[]): Step<AssistantState> {
  return assistantAgent(config).start(messages)
}

/** Memory (spec §13.4) as a reducer; messages of the wrong form are an `InputError` at the start. */
export function memoryAgent(config: MemoryConfig): LoopReducer<MemoryState> {
  return lookingAtMessages(memory.memoryAgent(config), config.model.profile)
}

/** The first step of Memory. @throws InputError for messages of the wrong form, and for an unknown strategy */
export function startMemory(config: MemoryConfig, messages: readonly Message[]): Step<MemoryState> {
  return memoryAgent(config).start(messages)
}

/** A keyword strategy (spec §13.2) as a reducer; messages of the wrong form are an `InputError` at the start. */
export function keywordAgent(config: KeywordConfig): LoopReducer<KeywordState> {
  return lookingAtMessages(keywords.keywordAgent(config), config.model.profile)
}

/** The first step of a keyword strategy. @throws InputError for messages of the wrong form */
export function startKeywords(config: KeywordConfig, messages: readonly Message[]): Step<KeywordState> {
  return keywordAgent(config).start(messages)
}

function lookingAtMessages<State>(agent: LoopReducer<State>, profile: Profile): LoopReducer<State> {
  return { start: (messages) => agent.start(givenMessages(messages, profile)), advance: agent.advance }
}
