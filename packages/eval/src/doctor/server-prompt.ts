import { splitAddress } from '../client/redact.ts'
import type { ChatRequest, TextRequest } from '../client/client.ts'
import { withDeadline } from '../client/deadline.ts'
import { infraError } from '../client/failure.ts'
import { openSender } from '../client/sender.ts'
import { bodyText } from '../client/transport.ts'
import { objectIn } from '../text/json.ts'
import type { ModelListOptions } from './list-models.ts'

/** Requests the prompt that a server makes of a chat; null if it has no such endpoint. Never throws for what a server does. */
export type ServerPrompt = (request: ChatRequest, signal: AbortSignal) => Promise<TextRequest | null>

/**
 * Two engines return the prompt of messages and tools: llama.cpp at `/apply-template`, and vLLM at `/tokenize`, whose tokens `/detokenize`
 * converts to text. The paths are next to `/v1`.
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
    // The token at the beginning of a text is already in the prompt.
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

type Post = (path: string, body: object) => Promise<Readonly<Record<string, unknown>> | null>

function poster(options: ModelListOptions, signal: AbortSignal): Post {
  const { baseUrl, timeoutMs } = options
  const late = (): Error => infraError('the server did not answer in time', true)
  return async (path, body) => {
    const server = await openSender(options)
    try {
      return await withDeadline({ timeoutMs, signal }, late, async (deadline) => {
        const response = await server.post(nextToV1(baseUrl, path), body, deadline)
        return objectIn(await bodyText(response))
      })
    } catch {
      // Most servers lack the path; their errors differ.
      return null
    }
  }
}

/** The address of a path next to `/v1`. */
function nextToV1(baseUrl: string, path: string): string {
  const url = new URL(splitAddress(baseUrl).url)
  url.pathname = `${url.pathname.replace(/\/(?:v1\/?)?$/, '')}/${path}`
  return url.href
}
