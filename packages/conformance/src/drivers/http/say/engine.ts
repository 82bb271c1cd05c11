import type { Format } from '@callspec/core'
import type { PyDict } from '@callspec/python'
import { fromPlain, pyIndex } from '@callspec/python'
import { BrokenImplementation } from '../../../implementation.ts'
import type { Api, HttpAnswer } from '../api.ts'
import { unreachableServer } from '../api.ts'
import { saysOf } from '../prompt-view.ts'
import { saidAnswer } from './said-answer.ts'
import { beginsInThought, unmetBeginning } from '../../prepared-question.ts'
import type { Thinking } from '../../../protocol/declaration.ts'
import { repeatingWay, tokenCount } from './repeat.ts'
import type { SayMode, Way } from './ways.ts'
import { endsOf, waysOf, WITHOUT_THOUGHT } from './ways.ts'
import type { TextRange } from '../../../cases/provenance.ts'

export interface FoundWay {
  readonly way: Way
  /** Why it cannot be done with tools; null where it can. */
  readonly toolsRefused: string | null
  /** Whether `logprobs` may be requested, with tools too. */
  readonly showsTokens: boolean
  /** `switched`: unless `WITHOUT_THOUGHT` is sent. */
  readonly thought: OpenThought
}

/** Said to find out whether a way works. */
export const HARMLESS = 'The grass is green, 41 times.'

/**
 * Requests one harmless text in each way of the mode, until the engine generates it; then once more with a tool.
 *
 * @throws BrokenImplementation with what every way came to
 */
export async function findWay(
  api: Api,
  { url, model, mode }: { readonly url: string; readonly model: string; readonly mode: SayMode },
): Promise<FoundWay> {
  const tried: string[] = []
  let first: FoundWay | null = null
  for await (const way of candidates(api, { model, mode })) {
    const name = typeof way === 'string' ? 'repeat' : way.name
    const members = typeof way === 'string' ? way : await way.members(HARMLESS)
    if (typeof way === 'string' || typeof members === 'string') {
      tried.push(`${name}: ${String(members)}`)
      continue
    }
    const answer = await requestText(api, { model, members })
    if (answer.kind === 'none') throw new BrokenImplementation(unreachableServer(url, answer.reason))
    const said = saidAs(answer)
    if (said === null) {
      tried.push(`${name}: ${answer.status < 300 ? 'had no effect' : saysOf(answer)}`)
      continue
    }
    const found = await probeTools(api, { model, way, members, said })
    if (found.toolsRefused === null) return found
    first ??= found
  }
  if (first !== null) return first
  throw new BrokenImplementation(
    `${url}: says no text that --say asks for. Tried ${tried.join('; ')}. Constrained decoding has to be switched on there, or a model be ` +
      'served that repeats texts.',
  )
}

/** The ways to try, one after the other; a text says why the last one does not work. */
async function* candidates(
  api: Api,
  { model, mode }: { readonly model: string; readonly mode: SayMode },
): AsyncIterable<Way | string> {
  yield* waysOf(mode)
  if (mode === 'auto' || mode === 'repeat') yield repeatingWay(api, model)
}

async function probeTools(
  api: Api,
  {
    model,
    way,
    members,
    said,
  }: { readonly model: string; readonly way: Way; readonly members: PyDict; readonly said: 'text' | 'thought' },
): Promise<FoundWay> {
  const tools = new Map([...members, ['tools', fromPlain([TOOL])]])
  const beside = await requestText(api, { model, members: tools })
  const shown = await requestText(api, { model, members: new Map([...tools, ['logprobs', true]]) })
  const toolsRefused = saidAs(beside) === null ? saysOf(beside) : null
  const showsTokens = toolsRefused === null && saidAs(shown) !== null
  if (said === 'text') return { way, toolsRefused, showsTokens, thought: 'none' }
  const without = await way.members(HARMLESS, true)
  if (typeof without === 'string') return { way, toolsRefused, showsTokens, thought: 'opened' }
  const again = await requestText(api, { model, members: new Map([...without, ...WITHOUT_THOUGHT]) })
  return { way, toolsRefused, showsTokens, thought: saidAs(again) === 'text' ? 'switched' : 'opened' }
}

const TOOL = {
  type: 'function',
  function: { name: 'clock', description: 'clock', parameters: { type: 'object', properties: {} } },
}

function requestText(
  api: Api,
  { model, members }: { readonly model: string; readonly members: PyDict },
): Promise<HttpAnswer> {
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
  const unmet = unmetBeginning(beginsInThought(input) ? 'opened' : 'none', BEGINNINGS[thought])
  if (unmet !== null) return unmet
  const choice = input.get('tool_choice') ?? 'auto'
  return choice === 'auto' ? null : 'with "tool_choice" an engine brings a grammar of its own'
}

/** How replies can begin after such prompts; written thoughts as those without any. */
const BEGINNINGS: Readonly<Record<OpenThought, readonly Thinking[]>> = {
  none: ['none', 'written'],
  opened: ['opened'],
  switched: ['none', 'written', 'opened'],
}

/** The tokens as which the markers of a format were generated. */
export interface MarkerTokens {
  /** Notes on a text: markers that the vocabulary lacks, and those generated otherwise than a model writes them. */
  notes(said: SaidText): Promise<readonly string[]>
}

export interface SaidText {
  readonly text: string
  /** As bytes in Latin-1; null where the engine does not show them. */
  readonly tokens: readonly string[] | null
  /** Where the model writes markers in pieces. */
  readonly plain: readonly TextRange[]
}

/** Looks up the special tokens of a format's models in the vocabulary of an engine (`POST /tokenize`), each once. */
export function markerTokens(
  api: Api,
  { model, format }: { readonly model: string; readonly format: Format | null },
): MarkerTokens {
  const markers = format?.specialTokens?.tokens ?? []
  const known = new Map<string, Promise<boolean | null>>()
  const isToken = (marker: string): Promise<boolean | null> => {
    const found = known.get(marker) ?? isOneToken(api, { model, marker })
    known.set(marker, found)
    return found
  }
  return {
    notes: async (said) => {
      const notes: string[] = []
      for (const marker of markers.filter((each) => said.text.includes(each))) {
        const note = noteOf(marker, { said, isOne: await isToken(marker) })
        if (note !== null) notes.push(note)
      }
      return notes
    },
  }
}

function noteOf(
  marker: string,
  { said, isOne }: { readonly said: SaidText; readonly isOne: boolean | null },
): string | null {
  const { whole, inPieces } = timesIn(said, marker)
  const quoted = JSON.stringify(marker)
  if (isOne === false) return whole === 0 ? null : `${quoted} is no token of this vocabulary and was said as characters`
  if (said.tokens === null) return null
  const bytes = Buffer.from(marker).toString('latin1')
  const times = said.tokens.filter((token) => token === bytes).length
  if (times < whole)
    return `${quoted} was said as characters${isOne === true ? ', although the vocabulary has it as one token' : ''}`
  return times > whole && inPieces > 0 ? `${quoted} was said as one token where the model writes it in pieces` : null
}

/** How often a text has a marker as a token of the model, and how often in pieces. */
function timesIn({ text, plain }: SaidText, marker: string): { readonly whole: number; readonly inPieces: number } {
  const count = { whole: 0, inPieces: 0 }
  for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + marker.length)) {
    const start = plain.length === 0 ? 0 : pyIndex(text, at)
    if (plain.some(([from, to]) => from <= start && start < to)) count.inPieces += 1
    else count.whole += 1
  }
  return count
}

/** null where the engine cannot be asked. */
async function isOneToken(
  api: Api,
  { model, marker }: { readonly model: string; readonly marker: string },
): Promise<boolean | null> {
  const count = await tokenCount(api, { model, text: marker })
  return count === null ? null : count === 1
}
