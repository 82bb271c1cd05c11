import type { Message, ToolDefinition } from '../../message.ts'
import type { PyDict } from '../../python/value.ts'
import type { ChatModel } from './model.ts'

/** One chat call. */
export interface ChatRequest {
  readonly messages: readonly Message[]
  readonly functions?: readonly ToolDefinition[] | null
  /** Default true: the service streams. */
  readonly stream?: boolean
  /** Default false. */
  readonly deltaStream?: boolean
  readonly extraGenerateCfg?: PyDict | null
  /** What the reference draws at random when the configuration has no seed; without one, none is added. */
  readonly seed?: bigint
}

/** A chat call as it goes to the service, and what is needed to read the reply. */
export interface PreparedChat {
  readonly model: ChatModel
  /** What the format hands to the client. */
  readonly serviceMessages: readonly Message[]
  /** The generation parameters that the client gets; native tools are in it under `tools` (raw API). */
  readonly generateCfg: PyDict
  readonly stream: boolean
  /** Whether replies go through the format's postprocess. */
  readonly callsTools: boolean
  /** Whether replies are passed on untouched. */
  readonly rawApi: boolean
  /** The parameters before deletions, as post-processing reads them. */
  readonly replyCfg: PyDict
  readonly language: 'en' | 'zh'
}

/**
 * Turns a chat call into what goes to the service (spec §8.2).
 *
 * @throws Raise whatever the reference raises before the service is called
 */
export function prepareChat(model: ChatModel, request: ChatRequest): PreparedChat {
  throw new Error(`not yet ${model.model} ${request.messages.length}`)
}
