import { fromPlain, isDict, isList } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'
import type { Api } from '../api.ts'
import { firstChoice } from '../api.ts'
import { saysOf } from '../prompt-view.ts'
import type { Way } from './ways.ts'
import { endsOf, WITHOUT_THOUGHT } from './ways.ts'

/** As many numbers as models are asked to repeat from: 2,520 letters, of which a model says those at its distance. */
const NUMBERS = 420
const NUMBER = /-(\d{5})-/

/**
 * The way of a model that says again what its prompt has at a fixed distance before, token by token, whatever it is: the text is put there,
 * with a token that ends a turn behind it. `repeating_model.py` of the llama.cpp adapter makes such a model. A text says what the server
 * does instead.
 */
export async function repeatingWay(api: Api, model: string): Promise<Way | string> {
  const reach = await measureReach(api, { model, isThoughtless: false })
  if (typeof reach === 'string') return reach
  const end = await endToken(api, model)
  if (end === null) return 'the server says of no token that ends a turn that it is one (/tokenize)'
  let without: Promise<number | string> | null = null
  return {
    mode: 'repeat',
    name: 'repeat',
    members: async (text, isThoughtless = false) => {
      if (text.includes(end)) return `${JSON.stringify(end)} in the text ends the turn`
      const from = isThoughtless ? await (without ??= measureReach(api, { model, isThoughtless })) : reach
      if (typeof from === 'string') return from
      const count = await tokenCount(api, { model, text: `${text}${end}` })
      if (count === null) return 'the server does not count the tokens of a text (/tokenize)'
      if (count > from) return `the text has ${count} tokens; the model repeats ${from}`
      const content = `${GUARD}${text}${end}${FILLER.repeat(from - count)}`
      return fromPlain({ messages: [{ role: 'user', content }], max_tokens: BigInt(count + SPARE) }) as PyDict
    },
  }
}

/** Templates take white space off the beginning of a message: it must not begin with the text. */
const GUARD = '.'
const FILLER = '.'
/** More tokens than the text has, in case the grammar of the server makes a longer one of it. */
const SPARE = 64

/** How many tokens before the end of a message that is the last of a prompt the model begins to repeat; a text says why it does not. */
async function measureReach(
  api: Api,
  { model, isThoughtless }: { readonly model: string; readonly isThoughtless: boolean },
): Promise<number | string> {
  const numbers = Array.from({ length: NUMBERS }, (_, at) => `-${String(at).padStart(5, '0')}`).join('')
  const answer = await api.post(`${api.prefix}/chat/completions`, {
    ...{ model, messages: [{ role: 'user', content: numbers }], temperature: 0n, max_tokens: 16n },
    ...(isThoughtless ? (Object.fromEntries(WITHOUT_THOUGHT) as Record<string, PlainValue>) : {}),
  })
  const message = answer.kind === 'json' ? firstChoice(answer.value)?.get('message') : null
  if (answer.kind !== 'json' || !isDict(message)) return saysOf(answer)
  const said = ['reasoning_content', 'reasoning', 'content'].map((name) => message.get(name) ?? '').join('')
  // Where the prompt opens a thought, servers put the end of it before the reply.
  const found = NUMBER.exec(said.trimStart())
  const begins = found === null ? -1 : Number(found[1]) * (numbers.length / NUMBERS) - found.index
  return begins < 0 || begins >= numbers.length ? 'had no effect' : numbers.length - begins
}

async function endToken(api: Api, model: string): Promise<string | null> {
  const props = await api.get('/props')
  const own = props.kind === 'json' ? props.value.get('eos_token') : null
  for (const end of [...(typeof own === 'string' && own !== '' ? [own] : []), ...endsOf(null)])
    if ((await tokenCount(api, { model, text: end })) === 1) return end
  return null
}

/** How many tokens a text is; null if the server does not count. llama.cpp reads `content`, vLLM `prompt`. */
export async function tokenCount(
  api: Api,
  { model, text }: { readonly model: string; readonly text: string },
): Promise<number | null> {
  const same = { content: text, prompt: text, add_special: false, add_special_tokens: false, parse_special: true }
  const answer = await api.post('/tokenize', { model, ...same })
  const tokens = answer.kind === 'json' && answer.status === 200 ? answer.value.get('tokens') : null
  return isList(tokens) ? tokens.length : null
}
