import { splitAddress } from '../client/redact.ts'
import type { ChatRequest, TextRequest } from '../client/client.ts'
import { withDeadline } from '../client/deadline.ts'
import { infraError } from '../client/failure.ts'
import { openSender } from '../client/sender.ts'
import { bodyText } from '../client/transport.ts'
import { objectIn } from '../text/json.ts'
import type { ModelListOptions } from './list-models.ts'

/** Asks a server for the prompt that it makes of a chat; null where it has no such door. Never throws for what it does. */
export type ServerPrompt = (request: ChatRequest, signal: AbortSignal) => Promise<TextRequest | null>

/**
 * The doors of two engines to what their template makes of messages and tools: llama.cpp's `/apply-template`, and vLLM's
 * `/tokenize`, whose tokens `/detokenize` spells out. Both stand beside `/v1`.
 */
export function createServerPrompt(options: ModelListOptions): ServerPrompt {
  return async (request, signal) => {
    const { model, messages, parameters } = request
    const { tools } = parameters
    const post = poster(options, signal)
    const applied = await post('apply-template', { messages, tools })
    if (typeof applied?.['prompt'] === 'string') return rawRequest(request, applied['prompt'], {})
    const chat = { model, messages, tools, add_generation_prompt: true }
    const tokens = (await post('tokenize', chat))?.['tokens']
    if (!Array.isArray(tokens) || tokens.length === 0) return null
    const spelled = (await post('detokenize', { model, tokens }))?.['prompt']
    // The beginning of a text stands among its tokens already.
    return typeof spelled === 'string' ? rawRequest(request, spelled, { add_special_tokens: false }) : null
  }
}

function rawRequest(
  { model, parameters, sample }: ChatRequest,
  prompt: string,
  further: Readonly<Record<string, unknown>>,
): TextRequest {
  const { tools: _tools, tool_choice: _choice, ...rest } = parameters
  const own = { model, prompt, parameters: { ...rest, ...further } }
  return sample === undefined ? own : { ...own, sample }
}

type Post = (door: string, body: object) => Promise<Readonly<Record<string, unknown>> | null>

function poster(options: ModelListOptions, signal: AbortSignal): Post {
  const { baseUrl, timeoutMs } = options
  const late = (): Error => infraError('the server did not answer in time', true)
  return async (door, body) => {
    const server = await openSender(options)
    try {
      return await withDeadline({ timeoutMs, signal }, late, async (deadline) => {
        const response = await server.post(beside(baseUrl, door), body, deadline)
        return objectIn(await bodyText(response))
      })
    } catch {
      // Most servers have no such door, and say so in as many ways as there are servers.
      return null
    }
  }
}

/** The address of a door that stands where `/v1` stands. */
function beside(baseUrl: string, door: string): string {
  const url = new URL(splitAddress(baseUrl).url)
  url.pathname = `${url.pathname.replace(/\/(?:v1\/?)?$/, '')}/${door}`
  return url.href
}
