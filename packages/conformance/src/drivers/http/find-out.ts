import { isDict, isList } from '@callspec/python'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'

import { BrokenImplementation } from '../../broken-implementation.ts'
import { lazyTokenizer } from '../../lazy-tokenizer.ts'
import { unreachable } from './api.ts'
import type { Api, HttpAnswer } from './api.ts'
import { findPromptView } from './prompt-view.ts'
import type { PromptView } from './prompt-view.ts'
import { errorText } from './read-completion.ts'
import type { Upstream } from './upstream.ts'

/** What a server lets us observe. */
export interface Capabilities {
  /** Why its reading of answers cannot be observed; null when it can. */
  readonly unread: string | null
  /** How its prompts are seen, or why they are not. */
  readonly view: PromptView | string
}

/**
 * Finds out by asking.
 *
 * @throws BrokenImplementation for a server that should ask callspec and does not
 */
export async function capabilities({
  api,
  model,
  upstream,
  url,
}: {
  readonly api: Api
  readonly model: string
  readonly upstream: Upstream | null
  readonly url: string
}): Promise<Capabilities> {
  if (upstream !== null) {
    const body = { model, messages: [{ role: 'user', content: 'Say hello. [callspec:0]' }] }
    const probe = await api.post(`${api.prefix}/chat/completions`, body)
    if (upstream.requests().length > 0) return { unread: null, view: 'the server is asked over its upstream' }
    throw new BrokenImplementation(
      `${url}: did not ask its upstream; it ${saysOf(probe)}. Point its upstream to http://127.0.0.1:${upstream.port}/v1`,
    )
  }
  const tokenizer = lazyTokenizer(loadQwenTokenizer)
  return {
    unread: 'what a server makes of a text can be observed only where callspec plays its upstream: --upstream-port',
    view: await findPromptView(api, { model, tokenizer }),
  }
}

/**
 * The model that the server lists first.
 *
 * @throws BrokenImplementation for what is no server of this kind
 */
export async function firstModel(api: Api, url: string): Promise<string> {
  const answer = await api.get(`${api.prefix}/models`)
  if (answer.kind === 'none') throw new BrokenImplementation(unreachable(url, answer.reason))
  const listed = answer.kind === 'json' ? answer.value.get('data') : undefined
  const [first] = isList(listed) ? listed : []
  const id = isDict(first) ? first.get('id') : undefined
  if (typeof id === 'string' && id !== '') return id
  if (isList(listed) && listed.length === 0)
    throw new BrokenImplementation(`${url}: the server lists no model. Load one, or name it with --model.`)
  if (answer.status === 401 || answer.status === 403)
    throw new BrokenImplementation(
      `${url}: the server takes no such key; it ${saysOf(answer)}. Put its key into OPENAI_API_KEY.`,
    )
  throw new BrokenImplementation(
    `${url}: GET ${api.prefix}/models gives no list of models; it ${saysOf(answer)}. Is this an OpenAI-compatible server? --model NAME does without the list.`,
  )
}

/** What servers call their version; `unknown` where they do not say. */
export async function versionOf(api: Api): Promise<string> {
  const answers = await Promise.all(['/version', '/props'].map((path) => api.get(path)))
  for (const answer of answers) {
    if (answer.kind !== 'json' || answer.status !== 200) continue
    const version = answer.value.get('version') ?? answer.value.get('build_info')
    if (typeof version === 'string' && version !== '') return version
  }
  return 'unknown'
}

/** What an answer says, as the end of a sentence about the server. */
export function saysOf(answer: HttpAnswer): string {
  if (answer.kind === 'none') return answer.reason
  if (answer.kind === 'json' && answer.status < 300) return `answered ${answer.status} with a JSON map`
  if (answer.status >= 300 && answer.status < 400) return `answered ${answer.status}, a redirect, which is not followed`
  const kind = answer.kind === 'json' ? 'JSON' : answer.contentType || 'a text'
  return `answered ${answer.status} with ${kind}: ${errorText(answer)}`
}
