import { isList } from '@callspec/python'
import type { PyDict, PyList, PyValue } from '@callspec/python'
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
  const messages = toWireMessages(serviceMessages, model.profile, model.defaultSystemMessage)
  return {
    messages: prepared.continuation.kind === 'partial-message' ? markPartial(messages) : messages,
    tools: isList(tools) ? tools : null,
    parameters,
  }
}

/** The DashScope client's way of asking a model to go on with its last message. */
function markPartial(messages: readonly PyDict[]): readonly PyDict[] {
  const last = messages.at(-1)
  if (last === undefined) return messages
  return [...messages.slice(0, -1), new Map<string, PyValue>(last).set('partial', true)]
}
