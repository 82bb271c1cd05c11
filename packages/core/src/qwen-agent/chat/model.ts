import type { Profile } from '../../profile.ts'
import type { PyDict } from '../../python/value.ts'
import type { Tokenizer } from '../../tokenizer.ts'

/** What a chat model is made from. What the reference takes from the environment is a parameter here. */
export interface ChatModelOptions {
  readonly profile: Profile
  readonly tokenizer: Tokenizer
  /** The model configuration: `model`, `model_type`, `generate_cfg` and whatever else the service gets. */
  readonly cfg?: PyDict | null
  /** Whether the service takes images; without, messages are handed over as text. Default false. */
  readonly multimodal?: boolean
  /** Whether the service takes audio. Default: false. */
  readonly audio?: boolean
  /** SPECIAL_CODE_MODE = true. Default false. */
  readonly codeMode?: boolean
  /** QWEN_AGENT_USE_RAW_API = true, or the DashScope text client; `generate_cfg.use_raw_api` wins. Default false. */
  readonly rawApi?: boolean
  /** QWEN_AGENT_DEFAULT_MAX_INPUT_TOKENS. Default: the profile's. */
  readonly maxInputTokens?: number
  /** DEFAULT_SYSTEM_MESSAGE. Default: the profile's. */
  readonly defaultSystemMessage?: string
}

/** A model as constructed (spec §8.1). Plain data; nothing in it changes. */
export interface ChatModel {
  readonly profile: Profile
  readonly tokenizer: Tokenizer
  /** The name under `model`, or an empty text. */
  readonly model: string
  /** The model configuration as given. */
  readonly cfg: PyDict
  /** What is left of `generate_cfg`, with the stop words of the format. */
  readonly generateCfg: PyDict
  readonly promptType: 'qwen' | 'nous'
  readonly maxRetries: number
  readonly rawApi: boolean
  readonly multimodal: boolean
  readonly audio: boolean
  readonly codeMode: boolean
  readonly maxInputTokens: number
  readonly defaultSystemMessage: string
}

/**
 * Builds a chat model from its configuration (spec §8.1).
 *
 * @throws Raise `NotImplementedError` for a `fncall_prompt_type` that the profile does not have
 */
export function createChatModel(options: ChatModelOptions): ChatModel {
  throw new Error(`not yet ${options.profile.name}`)
}
