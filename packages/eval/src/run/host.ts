import { createChatModel, fnCallAgent, fromPlain, profileNamed, reactAgent } from '@callspec/core'
import type { AgentConfig, AgentTool, LoopReducer, PlainValue, Profile, PyValue, Tokenizer } from '@callspec/core'
import type { Protocol } from '../protocol.ts'
import type { ToolSpec } from '../suite/task.ts'

/** The version of the reference whose host reads each protocol: the newest in which the format works end to end. */
export const HOST_PROFILES: Readonly<Record<Protocol, 'v0.0.26' | 'main'>> = {
  'fncall-qwen': 'v0.0.26',
  'fncall-nous': 'main',
  react: 'main',
}

export interface HostOptions {
  readonly protocol: Protocol
  readonly model: string
  readonly tools: readonly ToolSpec[]
  readonly language: 'en' | 'zh'
  readonly maxModelCalls: number
  readonly seed: number
}

/** The host loop of the reference for a protocol, as a reducer. `State` is nobody's business but its own. */
export interface Host {
  readonly profile: Profile
  readonly loop: LoopReducer<unknown>
}

/** Builds the host. Tools are offered in the given order and language. */
export function createHost(options: HostOptions): Host {
  const { protocol, model, tools, language, maxModelCalls, seed } = options
  const profile = profileNamed(HOST_PROFILES[protocol])
  if (profile === null) throw new Error(`callspec: the profile ${HOST_PROFILES[protocol]} is gone`)
  const generateCfg = new Map<string, PyValue>([
    ['seed', BigInt(seed)],
    // The server decides what is too long: its answer is then a label, and no vocabulary has to be loaded.
    ['max_input_tokens', 0n],
    ...(protocol === 'react'
      ? []
      : ([
          ['fncall_prompt_type', protocol === 'fncall-qwen' ? 'qwen' : 'nous'],
          ['parallel_function_calls', true],
        ] as const)),
  ])
  const config: AgentConfig = {
    model: createChatModel({
      profile,
      tokenizer: NO_TOKENIZER,
      cfg: new Map<string, PyValue>([
        ['model', model],
        ['generate_cfg', generateCfg],
      ]),
    }),
    tools: tools.map(agentTool),
    language,
    maxModelCalls,
  }
  const loop = protocol === 'react' ? reactAgent(config) : fnCallAgent(config)
  return { profile, loop: loop as LoopReducer<unknown> }
}

function agentTool(tool: ToolSpec): AgentTool {
  return { name: tool.name, description: tool.description, parameters: fromPlain(tool.parameters as PlainValue) }
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
