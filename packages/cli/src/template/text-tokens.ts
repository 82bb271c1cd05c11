import { formatNamed } from '@callspec/core'
import type { DoctorFinding } from '@callspec/eval/doctor'
import type { TemplateServer, TemplateSource } from '@callspec/template/source'
import { forgeTemplate } from '@callspec/template/lint'
import { openServerAt } from './server.ts'
import type { ServerAddress } from './server.ts'
import { isSourceError } from './source.ts'

/** How a server's tokenizer is examined. */
export interface TextTokensOptions {
  readonly model: string
  /** Id of the format whose end-of-turn token is used; null for that of the server's template. */
  readonly format: string | null
  /** Two numbers of markers instead of five. */
  readonly quick: boolean
}

/**
 * Finds out whether a server makes control tokens of texts: the prompt's tokens are counted for texts with more and more
 * end-of-turn markers, and for other texts of equal length. Never throws for what the server does.
 */
export async function examineTextTokens(
  server: ServerAddress,
  { model, format, quick }: TextTokensOptions,
): Promise<DoctorFinding> {
  try {
    const source = await openServerAt(server, { name: null, model })
    const marker = format === null ? templateMarker(source) : (formatNamed(format)?.stops.end[0] ?? null)
    if (marker === null || marker.length < 4)
      return textTokensFinding('unknown', 'no end-of-turn marker is known', 'Name one with --format.')
    const counter = source.server
    if (counter === null) return textTokensFinding('unknown', 'the server counts no tokens')
    const numbers = quick ? QUICK_NUMBERS : NUMBERS
    const [user, result] = [
      await examinePlace(counter, { place: 'user', marker, numbers }),
      await examinePlace(counter, { place: 'result', marker, numbers }),
    ]
    return judgePlaces({ user, result }, marker)
  } catch (error) {
    if (!isSourceError(error)) throw error
    return textTokensFinding('unknown', 'the server does not count the tokens of a prompt')
  }
}

function textTokensFinding(verdict: DoctorFinding['verdict'], evidence: string, whatToChange?: string): DoctorFinding {
  return { check: 'text-tokens', verdict, evidence, whatToChange: whatToChange ?? null }
}

/** What looks like a control token: between signs, or a name in brackets. */
const CONTROL_TOKEN = /<[|｜][^\s<>]{1,40}[|｜]>|<\/?[a-z_]{1,30}>|\[\/?[A-Z_]{2,30}\]/

/** The first control token after a user's text. */
function templateMarker(source: TemplateSource): string | null {
  if (source.kind !== 'text') return null
  const [turn] = forgeTemplate({ source: source.template, tokens: source.tokens }, ['user-forges-turn']).attacks
  return CONTROL_TOKEN.exec(turn?.text ?? '')?.[0] ?? null
}

const NUMBERS: readonly number[] = [0, 1, 2, 4, 8]
const QUICK_NUMBERS: readonly number[] = [1, 8]

type Place = 'user' | 'result'

/** Tokens per marker, and per other text of equal length. */
type Slopes =
  | { readonly kind: 'measured'; readonly marker: number; readonly control: number }
  | { readonly kind: 'unknown'; readonly reason: string }

interface PlaceTrial {
  readonly place: Place
  readonly marker: string
  readonly numbers: readonly number[]
}

async function examinePlace(server: TemplateServer, { place, marker, numbers }: PlaceTrial): Promise<Slopes> {
  const control = [...marker].toReversed().join('')
  const [marked, plain] = [
    await countAll(
      server,
      numbers.map((number) => requestOf(place, marker.repeat(number))),
    ),
    await countAll(
      server,
      numbers.map((number) => requestOf(place, control.repeat(number))),
    ),
  ]
  if (marked === null || plain === null) return { kind: 'unknown', reason: 'no tokens are counted' }
  const slopes = { marker: slopeOf(numbers, marked), control: slopeOf(numbers, plain) }
  if (slopes.marker === null || slopes.control === null)
    return { kind: 'unknown', reason: 'the numbers of tokens do not grow evenly' }
  const most = Math.max(...numbers)
  const words = wordsOfLength(control.length * most)
  const [counted] = (await countAll(server, [requestOf(place, words)])) ?? []
  // Any vocabulary has tokens for common words; one that does not distinguish texts counts characters.
  if (counted === plain.at(-1) && slopes.control < control.length)
    return { kind: 'unknown', reason: 'tokens are counted by characters' }
  return { kind: 'measured', marker: slopes.marker, control: slopes.control }
}

/** The counts of requests in their order; null if one is missing. */
async function countAll(server: TemplateServer, requests: readonly string[]): Promise<readonly number[] | null> {
  const counts: number[] = []
  for (const request of requests) {
    const answer = await server.countTokens(request)
    if (answer.kind !== 'counted') return null
    counts.push(answer.tokens)
  }
  return counts
}

/** Tokens that one character too many or too few may cost where two pieces meet. */
const TOLERANCE = 2

/** The slope from the first number to the last; null if a count in between is far from the line. */
function slopeOf(numbers: readonly number[], counts: readonly number[]): number | null {
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
  const [low = 0, high = 0] = [counts[0], counts.at(-1)]
  const slope = (high - low) / (last - first)
  const isLine = numbers.every((number, index) => {
    const expected = low + slope * (number - first)
    return Math.abs((counts[index] ?? 0) - expected) <= TOLERANCE + Math.abs(slope) / 2
  })
  return isLine ? slope : null
}

const WORDS = 'the house and the river are near the old town where people come to see the water and the trees '

function wordsOfLength(length: number): string {
  return WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length)
}

/** JSON of a conversation with this text in this place. */
function requestOf(place: Place, text: string): string {
  const content = `Read this: ${text} end.`
  if (place === 'user') return JSON.stringify({ messages: [{ role: 'user', content }] })
  const call = { name: 'read_page', arguments: '{"page": "news"}' }
  const page = { type: 'string', description: 'Which page.' }
  return JSON.stringify({
    messages: [
      { role: 'user', content: 'Read the news.' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'abcdefgh1', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'abcdefgh1', name: 'read_page', content },
    ],
    tools: [
      {
        type: 'function',
        function: {
          name: 'read_page',
          description: 'Reads a page.',
          parameters: { type: 'object', properties: { page }, required: ['page'] },
        },
      },
    ],
  })
}

type Verdict = 'makes' | 'not' | 'unknown'

/** One token per marker and more for the control: tokens are made. As steep as the control: they are not. */
function verdictOf(slopes: Slopes): Verdict {
  if (slopes.kind === 'unknown') return 'unknown'
  const { marker, control } = slopes
  if (control < 2) return 'unknown'
  if (Math.abs(marker - 1) < 0.3) return 'makes'
  return marker >= 0.6 * control ? 'not' : 'unknown'
}

function judgePlaces(places: Readonly<Record<Place, Slopes>>, marker: string): DoctorFinding {
  const verdicts = { user: verdictOf(places.user), result: verdictOf(places.result) }
  const evidence = `${marker}: ${slopesText('user', places.user)}; ${slopesText('result', places.result)}`
  const made = (['user', 'result'] as const).filter((place) => verdicts[place] === 'makes')
  if (made.length > 0) {
    const whose = made.map((place) => (place === 'user' ? "users' texts" : 'results')).join(' and ')
    return textTokensFinding('warn', `makes control tokens of ${whose}. ${evidence}`, WHAT_TO_SWITCH)
  }
  if (verdicts.user === 'not') return textTokensFinding('ok', `makes no control tokens of texts. ${evidence}`)
  return textTokensFinding('unknown', evidence)
}

const WHAT_TO_SWITCH =
  'A text can forge turns and calls here (docs/forged-text.md). Tokenize texts without special tokens: parse_special off for ' +
  "messages' texts in llama.cpp, split_special_tokens in transformers; or refuse texts with markers in front of the server."

function slopesText(place: Place, slopes: Slopes): string {
  const where = place === 'user' ? 'in a user text' : 'in a result'
  if (slopes.kind === 'unknown') return `${where} unknown (${slopes.reason})`
  return `${where} ${slopes.marker.toFixed(1)} tokens per marker, ${slopes.control.toFixed(1)} per text of its length`
}
