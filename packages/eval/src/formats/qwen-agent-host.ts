import type { AgentConfig, ChatModel, LoopReducer } from '@callspec/qwen-agent'
import { fnCallAgent, reactAgent } from '@callspec/qwen-agent'
import type { PlainValue, PyValue, PyDict } from '@callspec/python'
import { fromPlain, toPlain } from '@callspec/python'
import type { AgentTool, FncallName, Profile, Tokenizer } from '@callspec/core/qwen-agent'
import { isFncallName, profileNamed } from '@callspec/core/qwen-agent'
import { createChatModel } from '@callspec/qwen-agent/reference'
import type { QwenAgentFormat } from '../trace/format-names.ts'
import type { ToolSpec } from '../trace/task.ts'
import { reactConversation } from './conversation.ts'
import type { Host, HostOptions, FormatReader } from './eval-format.ts'
import type { Reading } from '../reading/call-block.ts'
import { NO_CALL } from '../reading/call-block.ts'
import { foreignCall } from '../reading/foreign-calls.ts'
import { bareBlocks } from '../reading/read-blocks.ts'

/** The agent of the reference that reads a format, in the newest version in which the format works from end to end. */
export function qwenAgentHost({ id, defaultProfile }: QwenAgentFormat): (options: HostOptions) => Host {
  return isFncallName(id) ? functionCallHost(defaultProfile, id) : reactHost(defaultProfile)
}

/** The function-calling agent with one of its two formats; several calls in one reply are allowed. */
function functionCallHost(profileName: string, format: FncallName): (options: HostOptions) => Host {
  const parameters = [
    ['fncall_prompt_type', format],
    ['parallel_function_calls', true],
  ] as const
  return (options) => agentHost(agentConfig(options, profileName, parameters))
}

/** The same agent with the raw API: tools and calls go over the wire as such, and nothing is written into a text. */
export function rawApiHost(options: HostOptions): Host {
  return agentHost(agentConfig(options, 'main', [['use_raw_api', true]]))
}

function agentHost(config: AgentConfig): Host {
  return { profile: config.model.profile, loop: fnCallAgent(config) as LoopReducer<unknown> }
}

function reactHost(profileName: string): (options: HostOptions) => Host {
  return (options) => {
    const config = agentConfig(options, profileName, [])
    const agent = reactAgent(config) as LoopReducer<unknown>
    const loop: LoopReducer<unknown> = { ...agent, start: (messages) => agent.start(reactConversation(messages)) }
    return { profile: config.model.profile, loop, ownTextBegins: 'Thought: ' }
  }
}

/** A model whose server decides what is too long: its answer is then a label, and no vocabulary has to be loaded. */
export function uncutModel(
  { model, seed }: HostOptions,
  profileName: string,
  parameters: readonly (readonly [string, PyValue])[],
): ChatModel {
  const generateCfg = new Map<string, PyValue>([['seed', BigInt(seed)], ['max_input_tokens', 0n], ...parameters])
  return createChatModel({
    profile: knownProfile(profileName),
    tokenizer: NO_TOKENIZER,
    cfg: new Map<string, PyValue>([
      ['model', model],
      ['generate_cfg', generateCfg],
    ]),
  })
}

/** Tools are offered in the given order and language. */
function agentConfig(
  options: HostOptions,
  profileName: string,
  parameters: readonly (readonly [string, PyValue])[],
): AgentConfig {
  const { tools, language, maxModelCalls } = options
  return { model: uncutModel(options, profileName, parameters), tools: tools.map(agentTool), language, maxModelCalls }
}

function agentTool({ name, description, parameters }: ToolSpec): AgentTool {
  return { name, description, parameters: fromPlain(parameters as PlainValue) }
}

function knownProfile(name: string): Profile {
  const profile = profileNamed(name)
  if (profile === null) throw new Error(`callspec: the profile ${name} is missing`)
  return profile
}

/** Nothing is counted or cut here, see `max_input_tokens` above. */
const NO_TOKENIZER: Tokenizer = {
  encode: notNeeded,
  decode: notNeeded,
  pieces: notNeeded,
  count: notNeeded,
}

function notNeeded(): never {
  throw new Error(
    'callspec: the evaluation counts no tokens by itself. This is a defect of callspec, please report it.',
  )
}

/**
 * The reference's function-calling agent with `use_raw_api`: tools go out as `tools`, calls come back as `tool_calls`,
 * and whose format they have is the server's business.
 */
export function nativeHost(options: HostOptions): Host {
  return { ...rawApiHost(options), usesTools: true, wireMessage }
}

/**
 * A message as servers take it. The reference puts the id of the call under `id` and leaves its own bookkeeping in the
 * message, which OpenAI's server and stricter ones refuse; `tool_call_id` is where they look for it.
 */
function wireMessage(message: PyDict): Readonly<Record<string, PlainValue>> {
  const plain = toPlain(message) as Readonly<Record<string, PlainValue>>
  if (plain['role'] === 'tool')
    return { role: 'tool', tool_call_id: plain['id'] ?? '', content: plain['content'] ?? '' }
  const { extra: _extra, ...rest } = plain
  return rest
}

/**
 * Calls arrive in `tool_calls`, with arguments as JSON text. Text that looks like a call of another format is one
 * that the server did not read: never an answer.
 */
export const nativeReader: FormatReader = {
  readStrict: readNativeText,
  readLenient: readNativeText,
  callBlocks: (calls) =>
    calls.map(({ name, arguments: json }) => ({
      name,
      json: json.trim(),
      repairs: json.trim() === '' ? (['empty-arguments'] as const) : [],
      start: 0,
      end: 0,
    })),
  blocks: () => [],
  speaks: () => false,
  // Not </tool_call>: a call in the text is reported as such.
  hostMarks: ['<tool_response>', '</tool_response>'],
  stopWords: [],
  inventsResult: (text) => /<tool_response>\s*[^\s<]/.test(text),
  hasFinalForm: (text) => text.trim() !== '',
  finalText: (text) => text,
  saysWhenDone: false,
  flagsProse: { before: false, after: false },
}

/** A call that is broken in or after its marker. A marker in a sentence is not a call. */
const BROKEN_CALL =
  /<tool_call>\s{0,8}(?:[^\s\w]|$)|[}>]\s{0,8}<\/tool_call>|✿(?:FUNCTION|ARGS)✿|<\|python_tag\|>|<function=[\w.-]{1,80}>|\[TOOL_CALLS\]\s{0,4}[[{]/i

function readNativeText(text: string): Reading {
  if (foreignCall(text) === null && !mayHoldCall(text) && bareBlocks(text).length === 0) return NO_CALL
  return { intent: true, calls: null, repairs: [], problem: 'call left in the text' }
}

/** Most answers hold none of the characters that marks begin with. */
function mayHoldCall(text: string): boolean {
  return /[<[✿]/.test(text) && BROKEN_CALL.test(text)
}
