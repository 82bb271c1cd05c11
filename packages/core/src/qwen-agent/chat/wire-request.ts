import { isList } from '../../python/value.ts'
import type { PyDict, PyList } from '../../python/value.ts'
import { withoutDefaultSystem } from './default-system.ts'
import type { PreparedChat } from './prepare.ts'
import { toWireMessages, toWireParameters } from './wire.ts'

/** What an OpenAI-style request body is made of, besides `model` and `stream`. */
export interface WireRequest {
  readonly messages: readonly PyDict[]
  /** Native tools (raw API), or null. */
  readonly tools: PyList | null
  /** Generation parameters under the names that the client takes. */
  readonly parameters: PyDict
}

/**
 * The request that the OpenAI-style client of the reference makes of a prepared chat call (spec §8.8).
 *
 * @throws Raise what `toWireMessages` throws
 */
export function wireRequest(prepared: PreparedChat): WireRequest {
  const { model, serviceMessages, generateCfg } = prepared
  const parameters = new Map(toWireParameters(generateCfg))
  const tools = parameters.get('tools') ?? null
  parameters.delete('tools')
  return {
    messages: toWireMessages(withoutDefaultSystem(serviceMessages, model), model.profile),
    tools: isList(tools) ? tools : null,
    parameters,
  }
}
