import { joinParts } from '../conversation/conversation.ts'
import { callsOf } from '../reply/item.ts'
import { fromPlain } from '@callspec/python'
import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import type { Format } from './format.ts'

/** What the prompts of a format put round questions and results: learned from prompts with known texts in them. */
export interface PromptFrame {
  /** How every prompt with tools begins. */
  readonly preamble: string
  readonly beforeQuestion: string
  readonly afterQuestion: string
  /** What precedes a result, in pieces: between them is what differs, such as the id of the call. */
  readonly beforeResult: readonly string[]
  /** What follows a result, in pieces as well. */
  readonly afterResult: readonly string[]
  /** What is between two results of one turn, where they share the marks before the first and after the last one; null where each has its own. */
  readonly betweenResults: string | null
  /** Whether the prompt shows a result as a text, or as a value of JSON: its own, or the JSON string of a text. */
  readonly resultsAs: 'text' | 'json'
  /** Whether the family takes arguments as maps or as texts of JSON. */
  readonly argumentsAs: 'map' | 'text'
  /** Whether the prompt has begun a thought when the model goes on. */
  readonly opensThought: boolean
  readonly showsTools: boolean
  /** Whether the calls of earlier turns do. */
  readonly showsCalls: boolean
  /** The example of a call that the prompt gives, where the format's own reader takes calls in that form for none; else null. */
  readonly otherSyntax: string | null
}

/** Null for a format without a prompt, and for one that shows no results. */
export function promptFrame(format: Format): PromptFrame | null {
  const known = FRAMES.get(format)
  if (known !== undefined) return known
  const frame = learned(format)
  FRAMES.set(format, frame)
  return frame
}

const FRAMES = new WeakMap<Format, PromptFrame | null>()

/** Stands for what differs from call to call. */
const VARIES = '\u0000'
/** They begin and end with different letters, so that no part of them is in every prompt. */
const NAMES = ['alpha_probe', 'beta_trial', 'gamma_check'] as const
const IDS = ['probe0001', 'probe0002', 'probe0003'] as const
/** The place of a result in its turn is an attribute in some families. */
const PLACE = String.raw`(?<=\bindex=")\d+(?=")`
const VARIABLES = new RegExp([...NAMES, ...IDS, PLACE].join('|'), 'g')

function learned(format: Format): PromptFrame | null {
  const short = framePrompt(format, [user('first question')], [tool(NAMES[0], ['unit'])])
  const tools = [tool(NAMES[1], []), tool(NAMES[2], [])]
  const asMaps = framePrompt(format, talk(format, 'map'), tools)
  const long = asMaps ?? framePrompt(format, talk(format, 'text'), tools)
  if (short === null || long === null) return null
  const [shortAsk, longAsk] = [around(short, 'first question'), around(long, 'second question')]
  const openings = openingsIn(long, format)
  if (shortAsk === null || longAsk === null || openings === null) return null
  const thought = format.markers.thought?.open
  return {
    preamble: commonStart(short, long),
    beforeQuestion: commonEnd(shortAsk.before, longAsk.before),
    afterQuestion: wholeMarks(commonStart(shortAsk.after, longAsk.after)),
    ...resultFrame(openings),
    argumentsAs: asMaps === null ? 'text' : 'map',
    opensThought: thought !== undefined && short.trimEnd().endsWith(thought.trim()),
    showsTools: short.includes(`${NAMES[0]} is done.`),
    showsCalls: ['argument 0', 'argument 2'].every((argument) => long.includes(argument)),
    otherSyntax: otherSyntaxIn(short, format),
  }
}

/**
 * Where a prompt spells a marker of the format, it asks for the format. Elsewhere its example is written out with a name, and
 * read: `Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}`.
 */
function otherSyntaxIn(prompt: string, format: Format): string | null {
  if (format.markers.callStart.some((marker) => prompt.includes(marker.trim()))) return null
  const [example, key] = JSON_EXAMPLE.exec(prompt) ?? []
  if (example === undefined) return null
  return callsOf(format.read(`{"name": "${NAMES[0]}", "${key}": {}}`).items).length > 0 ? null : example
}

/** An object whose name is no JSON text, so that it is no tool, but says what to put there. */
const JSON_EXAMPLE = /\{"name": [^",{}]{1,80}, "(\w{1,40})": [^{}\n]{1,120}\}/

/** Quotation marks round a text belong to its JSON, not to the frame: what is JSON already may have none. */
function resultFrame({
  before,
  after,
  between,
}: Openings): Pick<PromptFrame, 'beforeResult' | 'afterResult' | 'betweenResults' | 'resultsAs'> {
  const isQuoted = before.endsWith('"') && after.startsWith('"')
  return {
    beforeResult: (isQuoted ? before.slice(0, -1) : before).split(VARIES),
    afterResult: (isQuoted ? after.slice(1) : after).split(VARIES),
    betweenResults: between,
    resultsAs: isQuoted ? 'json' : 'text',
  }
}

/** Two results of one turn where a turn may have several calls, and one of a later turn. */
function talk(format: Format, as: PromptFrame['argumentsAs']): readonly PlainValue[] {
  const first = format.traits.severalCalls ? [0, 1] : [0]
  return [user('second question'), calls(first, as), ...first.map(result), calls([2], as), result(2)]
}

function user(content: string): PlainValue {
  return { role: 'user', content }
}

/** Arguments end with values of several kinds, so that no quotation mark of a value precedes every result. */
function calls(places: readonly number[], as: PromptFrame['argumentsAs']): PlainValue {
  const tool_calls = places.map((at) => {
    const given = { unit: `argument ${at}`, last: at === 2 ? 'text' : at }
    return {
      id: IDS[at] ?? '',
      type: 'function',
      function: { name: NAMES[at] ?? '', arguments: as === 'map' ? given : JSON.stringify(given) },
    }
  })
  return { role: 'assistant', content: '', tool_calls }
}

function result(at: number): PlainValue {
  return { role: 'tool', tool_call_id: IDS[at] ?? '', name: NAMES[at] ?? '', content: `result ${at}` }
}

function tool(name: string, required: readonly string[]): PlainValue {
  const properties = Object.fromEntries(required.map((key) => [key, { type: 'string' }]))
  const schema = { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
  return { type: 'function', function: { name, description: `${name} is done.`, parameters: schema } }
}

function framePrompt(format: Format, messages: readonly PlainValue[], tools: readonly PlainValue[]): string | null {
  const asked = (options: readonly (readonly [string, PyValue])[]): string | null => {
    const outcome = format.prompt?.({
      messages: messages.map((message) => fromPlain(message) as PyDict),
      tools: tools.map((each) => fromPlain(each)),
      options: new Map<string, PyValue>([['add_generation_prompt', true], ...options]),
    })
    return outcome?.kind === 'prompted' ? joinParts(outcome.parts) : null
  }
  // Some families do without a day; of those that do not, no two prompts name the same one, so that no frame holds it.
  return asked([]) ?? asked([['date', messages.length === 1 ? '2001-01-01' : '2022-12-31']])
}

/** What precedes every result, and what follows every one. */
interface Openings {
  readonly before: string
  readonly after: string
  readonly between: string | null
}

function openingsIn(long: string, format: Format): Openings | null {
  const marks = format.traits.severalCalls
    ? ['argument 1', 'result 0', 'result 1', 'argument 2', 'result 2']
    : ['argument 0', 'result 0', 'argument 2', 'result 2']
  // Some families do not show the calls of before.
  const shown = ['second question', ...marks].filter((mark) => mark.startsWith('result') || long.includes(mark))
  const places = shown.map((mark) => ({ start: long.lastIndexOf(mark), length: mark.length }))
  if (places.some(({ start }) => start < 0)) return null
  const pieces = places.map(({ start, length }, at) => ({
    before: masked(long.slice((places[at - 1]?.start ?? 0) + (places[at - 1]?.length ?? 0), start)),
    after: masked(long.slice(start + length, places[at + 1]?.start)),
    isResult: shown[at]?.startsWith('result') === true,
  }))
  const results = pieces.filter(({ isResult }) => isResult)
  const before = fromWholeMark(results.map((each) => each.before).reduce(commonEnd))
  const after = wholeMarks(results.map((each) => each.after).reduce(commonStart))
  if (before.trim() !== '' || !format.traits.severalCalls) return { before, after, between: null }
  // Two results that share marks: what precedes the first one, and follows the second one.
  const [first, second, last] = results
  if (first === undefined || second === undefined || last === undefined) return { before, after, between: null }
  return {
    before: fromWholeMark(commonEnd(first.before, last.before)),
    after: wholeMarks(commonStart(second.after, last.after)),
    between: second.before,
  }
}

/** Without the beginning of a marker at the end: markers that differ may begin alike. */
function wholeMarks(text: string): string {
  const whole = text.replace(/[<[][^>\]]*$/, '')
  return whole === '' ? text : whole
}

/** Without the end of a marker at the beginning: markers that differ may end alike. */
function fromWholeMark(text: string): string {
  const whole = text.replace(/^[^<[\u0000]*[>\]](?=[<[])/, '')
  return whole === '' ? text : whole
}

function masked(text: string): string {
  return text.replaceAll(VARIABLES, () => VARIES)
}

function around(text: string, mark: string): { readonly before: string; readonly after: string } | null {
  const at = text.indexOf(mark)
  return at < 0 ? null : { before: text.slice(0, at), after: text.slice(at + mark.length) }
}

function commonStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}

function commonEnd(one: string, other: string): string {
  let length = 0
  while (length < one.length && length < other.length && one.at(-1 - length) === other.at(-1 - length)) length += 1
  return one.slice(one.length - length)
}
