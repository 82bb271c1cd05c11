// What cases about every format are put together of: topics, replies, values and names.
import { formatNamed } from '@callspec/core'
import { report } from './reply.mjs'
import { json } from './spellings.mjs'

const REPORTS = {
  basic: [],
  several: ['ai-dynamo/dynamo#4723'],
  empty: ['vllm-project/vllm#28806'],
  braces: ['NVIDIA/TensorRT-LLM#19228'],
  markers: ['anthropics/claude-code#61375'],
  prose: ['sgl-project/sglang#40739'],
  thoughts: ['PrimeIntellect-ai/renderers#80'],
  values: ['NousResearch/hermes-agent#55369'],
  names: ['sgl-project/sglang#33902'],
  cut: ['pydantic/pydantic-ai#3118'],
  split: ['vllm-project/vllm#55079'],
  keys: ['vercel/ai#5658'],
  escapes: ['MoonshotAI/kimi-cli#2513'],
  quoted: ['continuedev/continue#11070', 'aosama/astronomical#346'],
}

/** Topic, what it is about, and its reports. */
export const TOPICS = {
  basic: ['basic', 'A reply with and without calls.', REPORTS.basic],
  empty: ['empty-arguments', 'Calls of tools that take no arguments.', REPORTS.empty],
  values: ['value-types', 'Types, digits and spelling of arguments.', REPORTS.values],
  escapes: ['escapes', 'Escapes, quotes and scripts in argument strings.', REPORTS.escapes],
  braces: ['braces-in-strings', 'Brackets, quotes and backslashes inside of argument strings.', REPORTS.braces],
  markers: ['markers-in-values', 'Markers of a format inside of argument strings.', REPORTS.markers],
  keys: ['keys', 'Names of arguments.', REPORTS.keys],
  names: ['tool-names', 'Names of tools.', REPORTS.names],
  unknown: ['unknown-tools', 'Calls of tools that were not offered.', REPORTS.names],
  several: ['several-calls', 'Several calls in one reply.', REPORTS.several],
  prose: ['prose-around-calls', 'What stands before, between and behind calls.', REPORTS.prose],
  thoughts: ['thoughts', 'A call that is drafted in a thought is no call.', REPORTS.thoughts],
  cut: ['cut', 'Replies that end where their calls are open.', REPORTS.cut],
  whole: ['same-as-whole', 'A stream ends as the reply read at once.', REPORTS.split],
  split: ['split-anywhere', 'The same reply, cut in different places.', REPORTS.split],
  quoted: ['quoted-calls', 'Calls that a reply only shows: in code, in a quotation, escaped.', REPORTS.quoted],
  unicode: ['split-unicode', 'Characters and escapes that come in two pieces.', REPORTS.split],
}

export const call = (name, ...args) => ({ name, args })
export const NOW = call('now')
export const CLOCK = call('clock', ['zone', '"UTC"'])
const TYPES = { '"': 'string', '[': 'array', '{': 'object', t: 'boolean', f: 'boolean', n: ['integer', 'null'] }
const typeOf = (value) => TYPES[value[0]] ?? (/[.eE]/.test(value) ? 'number' : 'integer')

/** The tools of the calls, typed by their values: values that are written as text have no other type. */
export function toolsFor(calls, schemaOf = (value) => ({ type: typeOf(value) })) {
  const tools = new Map()
  for (const { name, args } of calls) {
    const known = tools.get(name) ?? {}
    for (const [key, value] of args) if (key !== '__proto__') known[key] = schemaOf(value)
    tools.set(name, known)
  }
  return [...tools].map(([name, properties]) => ({
    type: 'function',
    function: { name, description: 'A tool.', parameters: { type: 'object', properties } },
  }))
}

/** A reply of thought, prose, calls and prose, and what it says. */
export function reply(format, { thought, before, calls = [], after, ...more }) {
  const isOpened = thought !== undefined && (more.isOpened === true || format.thoughts === 'always opened')
  const say = format.say ?? ((text) => text)
  const hasCalls = calls.length > 0
  const gapAfter = after !== undefined && format.gap !== '' ? '\n' : ''
  const think = thought === undefined ? '' : `${isOpened ? '' : format.thought.open}${thought}${format.thought.close}`
  const text = [
    think,
    before === undefined ? (hasCalls ? (format.silence ?? '') : '') : say(before, hasCalls),
    calls.length === 0 || before === undefined ? '' : format.gap,
    calls.length === 0 ? '' : format.calls(calls),
    after === undefined ? '' : `${gapAfter}${say(after)}`,
    format.end ?? '',
  ].join('')
  const items = [
    ...(thought === undefined ? [] : [{ type: 'reasoning', text: thought }]),
    ...(before === undefined ? [] : [{ type: 'text', text: before }]),
    ...calls.map(({ name, args }, at) => ({
      type: 'call',
      ...(format.idOf === undefined ? {} : { id: format.idOf(at, name) }),
      name,
      arguments: json(args),
    })),
    ...(after === undefined ? [] : [{ type: 'text', text: after }]),
  ]
  const tools = format.values === 'text' && calls.length > 0 ? { tools: toolsFor(calls, format.schemaOf) } : {}
  return {
    text,
    items,
    input: {
      ...tools,
      ...(isOpened ? { thought_in_content: true } : {}),
      ...(format.isParallel === true && calls.length > 1 ? { parallel_calls: true } : {}),
    },
  }
}

export const made = (format, op, [topic, topicAbout, reports], { name, about, input, expected }) => ({
  ...{ format: format.id, op, topic, topicAbout, name, about, input },
  ...(reports.length === 0 ? {} : { evidence: reports.map(report) }),
  ...{ expected, writtenFor: `packages/core/src/formats/${format.folder}/README.md` },
})

export const parseCase = (format, topic, name, about, parts) => {
  const { text, items, input } = reply(format, parts)
  return made(format, 'parse', topic, { name, about, input: { text, ...input }, expected: { items } })
}

/** The same, with the stretch in which the marker that a value spells is not a token of the model. */
export const withPlain = (format, marker, item) => {
  const tokens = formatNamed(format.id)?.specialTokens?.tokens ?? []
  if (!tokens.some((token) => marker.includes(token))) return item
  return inPieces(item, item.input.text.indexOf(`a ${marker} b`) + 2, marker)
}

/** The same, if the call that a thought drafts has a token that would end the reply: the model can only spell it. */
export const withPlainDraft = (format, draft, item) => {
  const { end = [], handOver = [] } = formatNamed(format.id)?.stops ?? {}
  if (![...end, ...handOver].some((token) => draft.includes(token))) return item
  return inPieces(item, item.input.text.indexOf(draft), draft)
}

const inPieces = (item, at, stretch) => {
  const start = [...item.input.text.slice(0, at)].length
  return { ...item, plain: [[start, start + [...stretch].length]] }
}

export const VALUES = [
  ['a negative number', '-5'],
  ['a number above 2^53', '9007199254740993'],
  ['a number above 64 bits', '123456789012345678901234567890'],
  ['1.0', '1.0'],
  ['a small fraction', '-0.5'],
  ['null', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['a list', '[1, "a", null]'],
  ['an object', '{"a": {"b": [true]}}'],
  ['an empty list', '[]'],
  ['the text 007', '"007"'],
  ['the text true', '"true"'],
  ['the text 1_000', '"1_000"'],
  ['an empty text', '""'],
  ['a text of two lines', '"one\\ntwo"'],
  ['a text with blanks at its ends', '"  a  "'],
]
export const TEXTS = [
  ['a closing brace', 'a } b'],
  ['an opening brace', 'a { b'],
  ['a closing bracket', 'a ] b'],
  ['JSON', '{"a": [1, "}"]}'],
  ['a quote', 'say "hi"'],
  ['quotes at both ends', '"hi"'],
  ['a backslash', 'C:\\new\\table'],
  ['angle brackets', 'a < b > c'],
  ['a fence', '```js\nx\n```'],
]
export const SCRIPTS = [
  ['Chinese', '上海的天气'],
  ['an emoji', 'a😀b'],
  ['a tabulator', 'a\tb'],
  ['an entity', 'a &lt; b &amp; c'],
  ['a percent sign', '100 %'],
  ['an apostrophe', "it's"],
]
export const KEYS = ['a b', '__proto__', 'constructor', 'a-b', 'a.b', '城市', 'name', 'arguments', 'id']
export const NAMES = ['get-weather', 'get_weather', 'getWeather', 'mcp__files__read', 'fs.read']
export const FOREIGN = ['✿FUNCTION✿', 'Action: f', '<|im_start|>', '</think>', 'Observation:']

/** Formats whose calls are the whole reply have no calls with prose; where several are one list, they may be several. */
export const mayBeSeveral = (format) => format.isSingle !== true && (format.isAlone !== true || format.hasList === true)

/** What must precede a call. */
export const leadOf = ({ lead }) => (lead === undefined ? {} : { before: lead })
