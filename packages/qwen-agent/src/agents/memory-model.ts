import { unreachable } from '@callspec/python'
import { createChatModel } from '../chat/model.ts'
import type { ChatModel } from '../chat/model.ts'
import type { PyDict } from '@callspec/python'

/** What Memory's own model reads at most, in tokens. */
const MAX_INPUT_TOKENS = 30_000n

/**
 * The model that Memory makes keywords with (spec §13.4): the agent's own, or a faster one in place of a reasoning
 * model. Null where the profile has none for this service; keywords are not made then.
 */
export function memoryModel(model: ChatModel): ChatModel | null {
  const choice = model.profile.memoryModel
  switch (choice) {
    case 'own':
      return model
    case 'qwen-turbo-latest':
      return /qwq|qvq/.test(model.model) ? fasterModel(model, 'qwen-turbo-latest') : model
    case 'qwen-turbo-for-reasoning-models': {
      if (!/qwq|qvq|qwen3/.test(model.model.toLowerCase())) return model
      const type = model.cfg.get('model_type')
      return typeof type === 'string' && type.includes('dashscope') ? fasterModel(model, 'qwen-turbo') : null
    }
    default:
      return unreachable(choice)
  }
}

function fasterModel({ profile, tokenizer, codeMode, defaultSystemMessage }: ChatModel, name: string): ChatModel {
  const cfg: PyDict = new Map<string, string | PyDict>([
    ['model', name],
    ['model_type', 'qwen_dashscope'],
    ['generate_cfg', new Map([['max_input_tokens', MAX_INPUT_TOKENS]])],
  ])
  return createChatModel({ profile, tokenizer, cfg, codeMode, defaultSystemMessage, rawApi: profile.rawApi })
}
