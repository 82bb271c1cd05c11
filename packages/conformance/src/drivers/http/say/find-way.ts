import type { Format } from '@callspec/core'
import { fromPlain } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { BrokenImplementation } from '../../../machinery-error.ts'
import { unreachable } from '../api.ts'
import type { Api, HttpAnswer } from '../api.ts'
import { saysOf } from '../prompt-view.ts'
import { saidAnswer } from './said-answer.ts'

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

/** How an engine is asked for constrained decoding; `auto` is the first that works. */
export type SayMode = 'auto' | 'grammar' | 'choice' | 'regex'

/** The modes, in the order in which they are tried. */
export const SAY_MODES: readonly SayMode[] = ['auto', 'grammar', 'choice', 'regex']

/** One way of making an engine say a text. */
export interface Way {
  readonly mode: Exclude<SayMode, 'auto'>
  /** The member of the request, as people know it. */
  readonly name: string
  /** Members of a request after which only this text can be said. */
  readonly members: (text: string) => PyDict
}

/** The ways of a mode, the most usual first. */
export function waysOf(mode: SayMode): readonly Way[] {
  return mode === 'auto' ? WAYS : WAYS.filter((way) => way.mode === mode)
}

const WAYS: readonly Way[] = [
  { mode: 'grammar', name: 'grammar', members: (text) => made({ grammar: grammarOf(text) }) },
  { mode: 'grammar', name: 'ebnf', members: (text) => made({ ebnf: grammarOf(text) }) },
  {
    mode: 'choice',
    name: 'structured_outputs.choice',
    members: (text) => made({ structured_outputs: { choice: [text] } }),
  },
  { mode: 'choice', name: 'guided_choice', members: (text) => made({ guided_choice: [text] }) },
  { mode: 'regex', name: 'regex', members: (text) => made({ regex: regexOf(text) }) },
  {
    mode: 'regex',
    name: 'structured_outputs.regex',
    members: (text) => made({ structured_outputs: { regex: regexOf(text) } }),
  },
  { mode: 'regex', name: 'guided_regex', members: (text) => made({ guided_regex: regexOf(text) }) },
]

function made(members: Parameters<typeof fromPlain>[0]): PyDict {
  return fromPlain(members) as PyDict
}

/** A grammar (GBNF of llama.cpp, which XGrammar reads too) that allows exactly one text. */
export function grammarOf(text: string): string {
  const letters = Array.from(text, (letter) => {
    if (letter === '"' || letter === '\\') return `\\${letter}`
    const point = letter.codePointAt(0) ?? 0
    if (point >= 32 && point < 127) return letter
    const hex = point.toString(16)
    if (point < 0x100) return `\\x${hex.padStart(2, '0')}`
    return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
  })
  return `root ::= "${letters.join('')}"\n`
}

/** A regular expression that allows exactly one text. */
function regexOf(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (letter) => `\\${letter}`)
}

/** Whether a prompt opens a thought, so that a text begins inside of one; `switched`: unless it is asked not to. */
export type OpenThought = 'none' | 'opened' | 'switched'

/** Why no engine can be made to say a text; null for all others. */
export function unsayable(text: string, ends: readonly string[]): string | null {
  if (text.includes('\0')) return 'no grammar can hold NUL'
  if (/\p{Cs}/u.test(text)) return 'a lone surrogate cannot be said: it has no bytes'
  const end = ends.find((each) => text.includes(each))
  return end === undefined ? null : `${JSON.stringify(end)} in the text ends the turn`
}

/** What an engine cannot be brought into by a request alone; null for everything else. */
export function unaskable(input: PyDict, thought: OpenThought): string | null {
  const isInside = beginsInThought(input)
  if (isInside && thought === 'none') return 'the prompt of the engine does not begin inside a thought'
  if (!isInside && thought === 'opened') return 'the prompt of the engine begins inside a thought'
  const choice = input.get('tool_choice') ?? 'auto'
  return choice === 'auto' ? null : 'with "tool_choice" an engine brings a grammar of its own'
}

/** Whether the text of a case goes on where the prompt has opened a thought. */
export function beginsInThought(input: PyDict): boolean {
  return input.get('thought_in_content') === true
}

/** The tokens that end a turn, of the format and of the engine. */
export function endsOf(format: Format | null): readonly string[] {
  return [...new Set([...(format?.stops.end ?? []), '<|im_end|>', '<|endoftext|>', '<|eot_id|>'])].filter(
    (end) => end !== '',
  )
}
