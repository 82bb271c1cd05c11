import { fromPlain } from '@callspec/python'
import type { PyDict } from '@callspec/python'

import { BrokenImplementation } from '../../../broken-implementation.ts'
import { unreachable } from '../api.ts'
import type { Api, HttpAnswer } from '../api.ts'
import { saysOf } from '../find-out.ts'
import { saidAnswer } from './said-answer.ts'
import { endsOf } from './unsayable.ts'
import type { OpenThought } from './unsayable.ts'
import { waysOf } from './ways.ts'
import type { SayMode, Way } from './ways.ts'

/** How an engine is made to say texts. */
export interface FoundWay {
  readonly way: Way
  /** Why it cannot be done beside tools; null where it can. */
  readonly toolsRefused: string | null
  /** Whether `logprobs` may be asked for, beside tools too. */
  readonly showsTokens: boolean
  /** `switched`: unless `WITHOUT_THOUGHT` is sent. */
  readonly thought: OpenThought
}

/** What keeps the chat templates that know it from opening a thought. */
export const WITHOUT_THOUGHT: PyDict = fromPlain({
  chat_template_kwargs: { enable_thinking: false, thinking: false },
}) as PyDict

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
    if (answer.kind === 'none') throw new BrokenImplementation(unreachable(url, answer.reason))
    const said = saidAs(answer)
    if (said === null) {
      tried.push(`${way.name}: ${answer.status < 300 ? 'had no effect' : saysOf(answer)}`)
      continue
    }
    return found(api, { model, way, said })
  }
  throw new BrokenImplementation(
    `${url}: says no text that --say asks for. Tried ${tried.join('; ')}. Constrained decoding has to be switched on there.`,
  )
}

async function found(
  api: Api,
  { model, way, said }: { readonly model: string; readonly way: Way; readonly said: 'text' | 'thought' },
): Promise<FoundWay> {
  const members = way.members(HARMLESS)
  const tools = new Map([...members, ['tools', fromPlain([TOOL])]])
  const beside = await ask(api, { model, members: tools })
  const shown = await ask(api, { model, members: new Map([...tools, ['logprobs', true]]) })
  const toolsRefused = saidAs(beside) === null ? saysOf(beside) : null
  const showsTokens = toolsRefused === null && saidAs(shown) !== null
  if (said === 'text') return { way, toolsRefused, showsTokens, thought: 'none' }
  const switched = saidAs(await ask(api, { model, members: new Map([...members, ...WITHOUT_THOUGHT]) })) === 'text'
  return { way, toolsRefused, showsTokens, thought: switched ? 'switched' : 'opened' }
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

/**
 * How the text came: as prose or as a thought; null where it was not said. A parser that refuses it, or reads more in it than it
 * holds, has been given it where the raw text is to be seen.
 */
function saidAs(answer: HttpAnswer): 'text' | 'thought' | null {
  const said = saidAnswer(answer, { text: HARMLESS, ends: endsOf(null), hasIds: false })
  if (said.kind === 'refused') return said.isVerified ? 'text' : null
  if (said.kind !== 'read') return null
  const is = (key: string): boolean => String(said.reading.get(key)).trim() === HARMLESS
  if (is('content')) return 'text'
  if (is('reasoning')) return 'thought'
  return said.isVerified ? 'text' : null
}
