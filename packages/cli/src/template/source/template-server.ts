import type { Rendering } from '@callspec/template'
import { quoted } from '../../terminal.ts'
import { askDoor } from './server-door.ts'
import type { DoorAnswer, ServerAddress } from './server-door.ts'

/** What a server lets be seen of its template: its text, the prompts that it makes, or how many tokens those have. */
export type TemplateView = 'text' | 'prompts' | 'token-counts'

/** A server that is asked what its template makes of conversations. Nothing throws for what the server does. */
export interface TemplateServer {
  /** As it may be printed. */
  readonly address: string
  /** The model whose template it is; null where the server was not asked for one. */
  readonly model: string | null
  /** The most that it lets be seen. */
  readonly view: TemplateView
  /**
   * The prompt, through llama-server's `/apply-template`. The server changes a request before it renders it, as it does in
   * service: that is what is to be seen.
   *
   * @param request JSON text of an object with `messages`, and `tools`, `add_generation_prompt`, `chat_template_kwargs`
   */
  applyTemplate(request: string): Promise<Rendering | ServerFailure>
  /**
   * How many tokens the prompt has, by the `usage` of a reply with at most one token.
   *
   * @param request JSON text of an object with `messages`, and `tools`
   */
  countTokens(request: string): Promise<TokenCount | ServerFailure>
}

/** How many tokens a prompt has, or that the server refuses to make one. */
export type TokenCount =
  | { readonly kind: 'counted'; readonly tokens: number }
  | { readonly kind: 'raised'; readonly error: { readonly type: string; readonly message: string } }

/** The server said nothing about the template: it is away, has no such door, or wants another key. */
export interface ServerFailure {
  readonly kind: 'failed'
  readonly reason: string
}

export function createTemplateServer(
  server: ServerAddress,
  { address, model, view }: Pick<TemplateServer, 'address' | 'model' | 'view'>,
): TemplateServer {
  return {
    address,
    model,
    view,
    applyTemplate: async (body) => {
      const answer = await askDoor(server, { path: '/apply-template', body })
      const prompt = answer.kind === 'json' && answer.status === 200 ? answer.value['prompt'] : undefined
      return typeof prompt === 'string' ? { kind: 'rendered', text: prompt } : refusalOf(answer)
    },
    countTokens: async (request) => {
      const members = `"model":${JSON.stringify(model ?? 'default')},"max_tokens":1,"temperature":0`
      const body = `{${members},${request.trim().slice(1)}`
      const answer = await askDoor(server, { path: '/v1/chat/completions', body })
      const tokens = promptTokensOf(answer)
      return tokens === null ? refusalOf(answer) : { kind: 'counted', tokens }
    },
  }
}

/** The count of a reply, or null. */
function promptTokensOf(answer: DoorAnswer): number | null {
  if (answer.kind !== 'json' || answer.status !== 200) return null
  const { usage } = answer.value
  const count: unknown =
    typeof usage === 'object' && usage !== null && 'prompt_tokens' in usage ? usage.prompt_tokens : null
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
}

/** Statuses that say nothing about the conversation. */
const NOT_ABOUT_IT: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 429, 501, 502, 503, 504])

/** An error about the conversation is the template's raise as far as anybody can see from outside. */
function refusalOf(answer: DoorAnswer): ServerFailure | Extract<TokenCount, { readonly kind: 'raised' }> {
  if (answer.kind === 'silent' || answer.status < 400 || NOT_ABOUT_IT.has(answer.status))
    return { kind: 'failed', reason: answerText(answer) }
  return { kind: 'raised', error: { type: 'ServerError', message: answerText(answer) } }
}

/** What a server said, in one short line. */
export function answerText(answer: DoorAnswer): string {
  if (answer.kind === 'silent') return answer.reason
  if (answer.kind === 'text') {
    const kind = /^\s*</.test(answer.text) ? 'HTML' : 'no JSON'
    return `HTTP ${answer.status} with ${kind}`
  }
  const { error, detail, message } = answer.value
  const inner = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  const text = [inner, detail, message].find((each) => typeof each === 'string')
  return text === undefined ? `HTTP ${answer.status}` : `HTTP ${answer.status}: ${quoted(text, 200)}`
}
