import { fnCallAgent, reactAgent } from '@callspec/qwen-agent'
import { fromPlain } from '@callspec/python'
import { isFncallName, profileNamed } from '@callspec/core/qwen-agent'
import { createChatModel } from '@callspec/qwen-agent/reference'
import type { AgentConfig, ChatModel, LoopReducer } from '@callspec/qwen-agent'
import type { AgentTool, FncallName, Profile, Tokenizer } from '@callspec/core/qwen-agent'
import type { PlainValue, PyValue } from '@callspec/python'
import type { QwenAgentFormat } from '../trace/format-names.ts'
import type { ToolSpec } from '../trace/task.ts'
import type { Host, HostOptions } from './eval-format.ts'

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
  return (options) => agentHost(configOf(options, profileName, parameters))
}

/** The same agent with the raw API: tools and calls go over the wire as such, and nothing is written into a text. */
export function rawApiHost(options: HostOptions): Host {
  return agentHost(configOf(options, 'main', [['use_raw_api', true]]))
}

function agentHost(config: AgentConfig): Host {
  return { profile: config.model.profile, loop: fnCallAgent(config) as LoopReducer<unknown> }
}

/** The ReAct agent. */
function reactHost(profileName: string): (options: HostOptions) => Host {
  return (options) => {
    const config = configOf(options, profileName, [])
    const loop = reactAgent(config) as LoopReducer<unknown>
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
function configOf(
  options: HostOptions,
  profileName: string,
  parameters: readonly (readonly [string, PyValue])[],
): AgentConfig {
  const { tools, language, maxModelCalls } = options
  return { model: uncutModel(options, profileName, parameters), tools: tools.map(agentTool), language, maxModelCalls }
}

const agentTools = new WeakMap<ToolSpec, AgentTool>()

/** Made once per tool, not once per episode. */
function agentTool(tool: ToolSpec): AgentTool {
  const { name, description, parameters } = tool
  const made = agentTools.get(tool) ?? { name, description, parameters: fromPlain(parameters as PlainValue) }
  agentTools.set(tool, made)
  return made
}

function knownProfile(name: string): Profile {
  const profile = profileNamed(name)
  if (profile === null) throw new Error(`callspec: the profile ${name} is gone`)
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
