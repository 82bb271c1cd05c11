import type { Message, AgentTool, ContentItem, Profile } from '@callspec/core/qwen-agent'
import { detectLanguage } from '@callspec/core/qwen-agent'
import { Raise } from '@callspec/python'
import type { ChatModel } from '../chat/model.ts'
import type { Emissions } from '../loop.ts'

/** What every agent is made of. Plain data, apart from the model's tokenizer. */
export interface AgentConfig {
  readonly model: ChatModel
  readonly tools?: readonly AgentTool[]
  /** The agent's own system text; null or empty for none. Default: the model's default system message. */
  readonly systemMessage?: string | null
  /** Written into every message that is emitted without a name. */
  readonly name?: string | null
  /** The `lang` of the run. Default: the language of the messages. */
  readonly language?: 'en' | 'zh' | null
  /** Passed on with every call of the function-calling agents, in the profiles whose agents know it. */
  readonly seed?: bigint | null
  /** QWEN_AGENT_MAX_LLM_CALL_PER_RUN. Default: the profile's. */
  readonly maxModelCalls?: number
  /** Files given to the agent; Memory reads them, and tools with file access get them. */
  readonly files?: readonly string[]
}

/** What an agent's inner loop receives. */
export interface AgentRun {
  readonly messages: readonly Message[]
  readonly language: 'en' | 'zh'
}

/**
 * The beginning of `run()`: the language, and the agent's system text where the profile adds it once (spec §11.1).
 *
 * @throws Raise for a system message whose first item has no text, and where the profile misses a first message
 */
export function beginRun(config: AgentConfig, messages: readonly Message[]): AgentRun {
  const language = config.language ?? detectLanguage(messages)
  const system = systemOf(config)
  const when = config.model.profile.agentSystemMessage
  if (system === '' || when === 'every-call') return { messages, language }
  if (when === 'once-unless-default' && needsNoSystem(messages, system, config.model)) return { messages, language }
  return { messages: withSystemMessage(messages, system, config.model.profile), language }
}

/**
 * The messages of one model call: with the agent's system text where the profile adds it every time.
 *
 * @throws Raise where the profile misses a first message
 */
export function messagesForCall(config: AgentConfig, messages: readonly Message[]): readonly Message[] {
  const { profile } = config.model
  const system = systemOf(config)
  if (profile.agentSystemMessage !== 'every-call') return messages
  if (system === '' && !profile.addsEmptySystemMessage) return messages
  // as in the reference: no text at all can be a message, but cannot be added to one.
  if (config.systemMessage === null && messages[0]?.role === 'system') throw new Raise('TypeError', NO_ADDITION)
  return withSystemMessage(messages, system, profile)
}

/** The messages with the agent's name where they have none. */
export function withName(config: AgentConfig, messages: readonly Message[]): readonly Message[] {
  const { name } = config
  if (typeof name !== 'string' || name === '') return messages
  return messages.map((message) => (hasName(message) ? message : { ...message, name }))
}

const NO_ADDITION = "unsupported operand type(s) for +: 'NoneType' and 'str'"

function hasName(message: Message): boolean {
  return typeof message.name === 'string' && message.name !== ''
}

function systemOf(config: AgentConfig): string {
  return (config.systemMessage === undefined ? config.model.defaultSystemMessage : config.systemMessage) ?? ''
}

/** as in the reference: the default text is added only where there is no system message at all (v0.0.16 to v0.0.18). */
function needsNoSystem(messages: readonly Message[], system: string, model: ChatModel): boolean {
  if (messages[0]?.role !== 'system') return false
  return system === model.defaultSystemMessage || startsWithSystem(messages, system)
}

/** The beginnings of `messages` of every length from `shortest` to all of them, made when they are asked for. */
export function beginningsOf(messages: readonly Message[], shortest: number): Emissions {
  return {
    *[Symbol.iterator]() {
      for (let length = shortest; length <= messages.length; length += 1) yield messages.slice(0, length)
    },
  }
}

/** The one after the other. */
export function followedBy(first: Emissions, second: Emissions): Emissions {
  return {
    *[Symbol.iterator]() {
      yield* first
      yield* second
    },
  }
}

/**
 * The messages with an agent's system text before the first system message, or as a new system message
 * (spec §11.1).
 *
 * @throws Raise `IndexError` or `AssertionError` for a system message whose first item has no text, where the profile
 *   looks, and for a conversation without messages, where the profile refuses it
 */
export function withSystemMessage(messages: readonly Message[], system: string, profile: Profile): readonly Message[] {
  checkHasMessages(messages, profile)
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: system }, ...messages]
  if (typeof first.content === 'string') return [{ ...first, content: `${system}\n\n${first.content}` }, ...rest]
  if (profile.agentSystemMessage !== 'every-call') checkFirstText(first.content)
  return [{ ...first, content: [{ text: `${system}\n\n` }, ...first.content] }, ...rest]
}

/** Whether the messages begin with a system message that begins with `system`. */
export function startsWithSystem(messages: readonly Message[], system: string): boolean {
  const [first] = messages
  if (first?.role !== 'system') return false
  const text = typeof first.content === 'string' ? first.content : first.content[0]?.text
  return text?.startsWith(system) ?? false
}

/** as in the reference: older versions look at the first message without asking whether there is one. */
export function checkHasMessages(messages: readonly Message[], profile: Profile): void {
  if (messages.length > 0 || profile.agentWithoutMessages === 'allowed') return
  throw new Raise('IndexError', 'list index out of range')
}

function checkFirstText(items: readonly ContentItem[]): void {
  const [item] = items
  if (item === undefined) throw new Raise('IndexError', 'list index out of range')
  if (item.text === undefined || item.text === '') throw new Raise('AssertionError', '')
}
