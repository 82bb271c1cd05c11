import type { Implementation, Question, Reply } from '../../../implementation.ts'
import type { Api } from '../api.ts'
import { withRawBody } from '../api.ts'
import type { FoundWay, MarkerTokens } from './engine.ts'
import { findWay, unaskable, unsayable, markerTokens } from './engine.ts'
import type { SayMode } from './ways.ts'
import { endsOf, WITHOUT_THOUGHT } from './ways.ts'
import { beginsInThought, questionText, toolsFor } from '../../prepared-question.ts'
import { plural } from '../../../comparison/visible.ts'
import type { Format } from '@callspec/core'
import { formatNamed } from '@callspec/core'
import type { PyDict, PyList, PyValue } from '@callspec/python'
import { fromPlain } from '@callspec/python'
import { judge } from '../../../run/run-suite.ts'
import type { SaidAnswer, StreamReading } from './said-answer.ts'
import { refusedAnswer, saidAnswer, readStream, isSaid } from './said-answer.ts'

/** How a live engine is made to generate the texts of cases. */
export interface SayOptions {
  readonly mode: SayMode
  /** Whether the engine's parser reads text only, as llama.cpp's does, so that tokens do not matter. */
  readonly readsText: boolean
  /** Texts of more tokens are skipped. */
  readonly maxTokens: number
}

/** An engine that says the texts of `parse` and `stream`. */
export type Speaker = Required<Pick<Implementation, 'remarks' | 'gone'>> & {
  answer(question: Question): Promise<Reply>
}

/**
 * Finds out how the engine can be made to say a text.
 *
 * @throws BrokenImplementation where no way works
 */
export async function openSay(
  api: Api,
  { url, model, options }: { readonly url: string; readonly model: string; readonly options: SayOptions },
): Promise<Speaker> {
  const found = await findWay(api, { url, model, mode: options.mode })
  let lost: string | null = null
  const gone = async (reason: string): Promise<void> => {
    const answer = await api.get(`${api.prefix}/models`)
    if (answer.kind !== 'none') return
    const now = answer.reason === reason ? '' : `; now it ${answer.reason}`
    lost = `${url}: the server ${reason}${now}. Start it again and repeat the run.`
  }
  const say = sayer({ api, model, found, maxTokens: options.maxTokens, readsText: options.readsText, gone })
  const counts = { said: 0, unverified: 0 }
  const notes = new Map<string, number>()
  return {
    answer: async (question) => {
      if (lost !== null) return { kind: 'errored', reason: `the engine is gone: ${lost}` }
      const reply = await say(question)
      if (reply.kind !== 'returned' && reply.kind !== 'raised') return reply
      counts.said += 1
      for (const note of reply.notes ?? []) {
        if (note === NOT_VERIFIED) counts.unverified += 1
        else notes.set(note, (notes.get(note) ?? 0) + 1)
      }
      return reply
    },
    gone: () => lost,
    remarks: () => [...beginning(found, counts), ...[...notes].map(([note, times]) => `${note}: ${times} ×`)],
  }
}

function beginning(
  { way, toolsRefused, thought }: FoundWay,
  { said, unverified }: { readonly said: number; readonly unverified: number },
): readonly string[] {
  const withTools = toolsRefused === null ? 'also with tools' : `refused with tools (${toolsRefused})`
  const verified =
    unverified === 0
      ? 'each seen to be the text of its case'
      : `${unverified} of them not verified: nothing shows what was said`
  return [
    `said through "${way.name}", ${withTools}: ${plural(said, 'text')}, ${verified}`,
    ...(thought === 'switched' ? [SWITCHED] : []),
    'one token came at a time: what breaks when several come in one delta cannot be seen this way',
  ]
}

const SWITCHED =
  'the prompt of the engine opens a thought: chat_template_kwargs {"enable_thinking": false} was sent, but for texts that begin in one'

export interface SayTexts {
  readonly api: Api
  readonly model: string
  readonly found: FoundWay
  /** Texts of more tokens are skipped. */
  readonly maxTokens: number
  /** Whether the engine reads text only, so that the tokens of a marker do not matter. */
  readonly readsText: boolean
  /** Called when no answer came: perhaps the engine is unavailable. */
  readonly gone: (reason: string) => Promise<void>
}

/** Answers `parse` and `stream` by making the engine say the text of the case. Its own tokenizer, sampler and parser do the rest. */
export function sayer(how: SayTexts): (question: Question) => Promise<Reply> {
  const markers = new Map<string, MarkerTokens>()
  return async (question) => {
    const format = formatNamed(question.format ?? '')
    const key = question.format ?? ''
    const known = markers.get(key) ?? markerTokens(how.api, { model: how.model, format })
    markers.set(key, known)
    return generate(question, { ...how, format, markers: known })
  }
}

interface Saying extends SayTexts {
  readonly format: Format | null
  readonly markers: MarkerTokens
}

async function generate(question: Question, saying: Saying): Promise<Reply> {
  const { input, op } = question
  const text = questionText(question)
  const tools = toolsFor(input, { text, format: saying.format })
  const reason =
    unsayable(text, endsOf(saying.format)) ??
    unaskable(input, saying.found.thought) ??
    tooLongText(text, saying) ??
    besideTools(text, saying)
  if (reason !== null) return { kind: 'skipped', reason }
  const isThoughtless = saying.found.thought === 'switched' && !beginsInThought(input)
  const members = await saying.found.way.members(text, isThoughtless)
  if (typeof members === 'string') return { kind: 'skipped', reason: members }
  const body = requestBody({ members, tools, isThoughtless }, saying)
  const expectation = { text, ends: endsOf(saying.format), hasIds: saying.format?.traits.ids ?? false }
  const shown: PyDict = saying.found.showsTokens ? new Map([['logprobs', true]]) : new Map()
  const answer = await saying.api.post(PATH(saying), { ...body, ...Object.fromEntries(shown) })
  const whole = saidAnswer(answer, expectation)
  if (whole.kind === 'unsaid' && whole.isNone) return lostConnection(whole.reason, saying)
  if (isForcedOtherwise(whole, saying)) return { kind: 'skipped', reason: FORCED_OTHERWISE }
  if (whole.kind === 'too-long') return { kind: 'skipped', reason: takesMore(saying) }
  const tokens = whole.kind === 'read' ? whole.tokens : null
  const notes = await saying.markers.notes({ text, tokens, plain: question.plain ?? [] })
  if (op === 'parse') return withRawBody(generatedReply(whole, { notes, saying, wrap: (reading) => reading }), answer)
  const streamed = await saying.api.post(PATH(saying), { ...body, stream: true, stream_options: USAGE })
  const reading = readStream(streamed, expectation.hasIds)
  if (reading === null) {
    const refused = saidAnswer(streamed, expectation)
    if (refused.kind === 'unsaid' && refused.isNone) return lostConnection(refused.reason, saying)
    const reply = generatedReply(refused.kind === 'read' ? NO_STREAM : refused, { notes, saying, wrap: finalOf })
    return withRawBody(reply, streamed)
  }
  return withRawBody(streamReply(reading, { question, whole, text, notes, saying }), streamed)
}

/** A model that repeats a text is not free where the server has a grammar of its own: it says what that allows. */
function isForcedOtherwise(answer: SaidAnswer, { found }: Saying): boolean {
  return (
    found.way.mode === 'repeat' && (answer.kind === 'too-long' || (answer.kind === 'unsaid' && answer.isOther === true))
  )
}

/** Why a text cannot be said by a model that repeats it. */
export const FORCED_OTHERWISE = 'the grammar of the server lets no model write this text'

const PATH = ({ api }: Saying): string => `${api.prefix}/chat/completions`
const USAGE = fromPlain({ include_usage: true })
const NO_STREAM: SaidAnswer = {
  kind: 'unsaid',
  reason: 'answered with one JSON map, although a stream was asked for',
  isNone: false,
}

/** A stream as its user gets it; where the engine says what it read itself, that is judged and the deltas are not. */
function streamReply(
  reading: StreamReading,
  {
    question,
    whole,
    text,
    notes,
    saying,
  }: {
    readonly question: Question
    readonly whole: SaidAnswer
    readonly text: string
    readonly notes: readonly string[]
    readonly saying: Saying
  },
): Reply {
  const options = { notes: [...notes, ...takenBack(reading)], saying, wrap: finalOf }
  if (reading.error !== null) return generatedReply(refusedAnswer(reading.error, { text, status: 500 }), options)
  if (reading.raw !== null && !isSaid(text, reading.raw)) {
    return {
      kind: 'errored',
      reason: `was made to say the text in a stream, and said something else: ${JSON.stringify(reading.raw.slice(0, 200))}`,
    }
  }
  const isCounted = whole.kind === 'read' && whole.isVerified && whole.count !== null && whole.count === reading.tokens
  const said = { kind: 'read', isVerified: reading.raw !== null || isCounted, tokens: null, count: null } as const
  if (reading.snapshot !== null) return generatedReply({ ...said, reading: reading.snapshot }, options)
  const problem =
    reading.problems[0] ?? halfCharacter(reading.folded, text) ?? otherThanWhole(reading.folded, { question, whole })
  if (problem === null) return generatedReply({ ...said, reading: reading.folded }, options)
  return {
    ...generatedReply(
      { kind: 'refused', message: `the stream is not lawful: ${problem}`, isVerified: said.isVerified },
      options,
    ),
  }
}

function generatedReply(
  answer: SaidAnswer,
  {
    notes,
    saying,
    wrap,
  }: { readonly notes: readonly string[]; readonly saying: Saying; readonly wrap: (reading: PyDict) => PyDict },
): Reply {
  if (answer.kind === 'unsaid') return { kind: 'errored', reason: answer.reason }
  if (answer.kind === 'too-long') return { kind: 'skipped', reason: takesMore(saying) }
  const all = [...(answer.isVerified ? [] : [NOT_VERIFIED]), ...notes]
  const [first] = notes.filter((note) => note.includes('was said as '))
  const doubt =
    first === undefined || saying.readsText
      ? {}
      : { doubt: `${first}; an engine that reads text only is run with --reads-text` }
  const remarks = { ...(all.length === 0 ? {} : { notes: all }), ...doubt }
  if (answer.kind === 'read') return { kind: 'returned', value: wrap(answer.reading), ...remarks }
  return { kind: 'raised', error: { type: 'refused', message: answer.message }, ...remarks }
}

/** The note on a reply whose text the engine does not show. */
export const NOT_VERIFIED = 'not verified: the engine does not show what was said'

function takenBack({ takenBack: times }: StreamReading): readonly string[] {
  return times === 0 ? [] : [`the engine took back what it had read, ${plural(times, 'time')}`]
}

async function lostConnection(reason: string, { gone }: Saying): Promise<Reply> {
  await gone(reason)
  return { kind: 'errored', reason }
}

function finalOf(reading: PyDict): PyDict {
  return new Map([['final', reading]])
}

function halfCharacter(reading: PyDict, text: string): string | null {
  const has =
    JSON.stringify([...reading.values()].map(String)).includes('\ufffd') ||
    String(reading.get('content')).includes('\ufffd')
  return has && !text.includes('\ufffd') ? 'a character was parted' : null
}

function otherThanWhole(
  folded: PyDict,
  { question, whole }: { readonly question: Question; readonly whole: SaidAnswer },
): string | null {
  if (whole.kind !== 'read') return 'it was read in a stream, and refused as a whole'
  const item = { ...question, op: 'parse', where: '', expected: { kind: 'returned', value: whole.reading } } as const
  const { kind } = judge(item, { kind: 'returned', value: folded })
  return kind === 'passed' ? null : 'folded, it is another reply than the whole one'
}

function requestBody(
  {
    members,
    tools,
    isThoughtless,
  }: { readonly members: PyDict; readonly tools: PyList; readonly isThoughtless: boolean },
  { model, found, maxTokens }: Saying,
): Record<string, PyValue> {
  const offered: PyDict =
    found.toolsRefused === null && tools.length > 0
      ? new Map<string, PyValue>([
          ['tools', tools],
          ['tool_choice', 'auto'],
          ['parallel_tool_calls', true],
        ])
      : new Map()
  return {
    model,
    messages: [fromPlain({ role: 'user', content: 'Say it.' })],
    ...Object.fromEntries(offered),
    ...(isThoughtless ? Object.fromEntries(WITHOUT_THOUGHT) : {}),
    temperature: 0n,
    max_tokens: BigInt(mostTokens(maxTokens)),
    ...Object.fromEntries(members),
  }
}

/** A rough count that needs no tokenizer: four letters a token, and one for every other character. */
function tooLongText(text: string, saying: Saying): string | null {
  const count = Array.from(text).reduce((sum, letter) => sum + (letter < '\x80' ? 0.25 : 1), 0)
  return count <= saying.maxTokens
    ? null
    : `the text has more than ${saying.maxTokens} tokens, as far as can be told (--max-tokens)`
}

/** Under a grammar an engine takes more tokens than its tokenizer would. */
function mostTokens(maxTokens: number): number {
  return 2 * maxTokens + 64
}

function takesMore({ maxTokens }: Saying): string {
  return `to say the text takes more than ${mostTokens(maxTokens)} tokens (--max-tokens)`
}

/** If a grammar is refused together with tools, only texts without a marker are left: they read the same without tools. */
function besideTools(text: string, { found, format }: Saying): string | null {
  if (found.toolsRefused === null) return null
  const markers =
    format === null ? [] : [...format.markers.callStart, ...format.markers.callInner, ...format.markers.callEnd]
  const isProse =
    format !== null &&
    markers.every((marker) => !text.includes(marker)) &&
    !format.read(text).items.some(({ kind }) => kind === 'call')
  return isProse
    ? null
    : `the server refuses ${found.way.name} with tools (${found.toolsRefused}); only texts without calls are left`
}
