import { fromPlain, isDict } from '@callspec/python'
import type { PyDict } from '@callspec/python'

import { BrokenImplementation } from '../../../broken-implementation.ts'
import type { Api, HttpAnswer } from '../api.ts'
import { saysOf } from '../find-out.ts'
import { firstChoice } from '../read-completion.ts'
import { waysOf } from './ways.ts'
import type { SayMode, Way } from './ways.ts'

/** How an engine is made to say texts. */
export interface FoundWay {
  readonly way: Way
  /** Why it cannot be done beside tools; null where it can. */
  readonly toolsRefused: string | null
  /** Whether `logprobs` may be asked for, beside tools too. */
  readonly showsTokens: boolean
}

const HARMLESS = 'The grass is green, 41 times.'

/**
 * Asks for one harmless text in each way of the mode, until it is said; then once more beside a tool.
 *
 * @throws BrokenImplementation with what every way came to
 */
export async function findWay(
  api: Api,
  { url, model, mode }: { readonly url: string; readonly model: string; readonly mode: SayMode },
): Promise<FoundWay> {
  const tried: string[] = []
  for (const way of waysOf(mode)) {
    const answer = await ask(api, { model, members: way.members(HARMLESS) })
    if (answer.kind === 'none') throw new BrokenImplementation(`${url}: ${answer.reason}`)
    if (!saysHarmless(answer)) {
      tried.push(`${way.name}: ${answer.status < 300 ? 'had no effect' : saysOf(answer)}`)
      continue
    }
    const tools = fromPlain([TOOL])
    const beside = await ask(api, { model, members: new Map([...way.members(HARMLESS), ['tools', tools]]) })
    const shown = await ask(api, {
      model,
      members: new Map([...way.members(HARMLESS), ['tools', tools], ['logprobs', true]]),
    })
    const toolsRefused = saysHarmless(beside) ? null : saysOf(beside)
    return { way, toolsRefused, showsTokens: toolsRefused === null && saysHarmless(shown) }
  }
  throw new BrokenImplementation(
    `${url}: says no text that --say asks for. Tried ${tried.join('; ')}. Constrained decoding has to be switched on there.`,
  )
}

const TOOL = {
  type: 'function',
  function: { name: 'clock', description: 'clock', parameters: { type: 'object', properties: {} } },
}

function ask(api: Api, { model, members }: { readonly model: string; readonly members: PyDict }): Promise<HttpAnswer> {
  const messages = [{ role: 'user', content: 'Say it.' }]
  const body = { model, messages, max_tokens: 64n, temperature: 0n, ...Object.fromEntries(members) }
  return api.post(`${api.prefix}/chat/completions`, body)
}

function saysHarmless(answer: HttpAnswer): boolean {
  if (answer.kind !== 'json' || answer.status >= 300) return false
  const message = firstChoice(answer.value)?.get('message')
  const content = isDict(message) ? message.get('content') : null
  return typeof content === 'string' && content.trim() === HARMLESS
}
