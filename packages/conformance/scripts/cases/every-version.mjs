// Versions of a format: the same questions about each, read whole and streamed, and in its prompt.
//
// Replies are put together of what the template of the version writes. Prompts are `prompt` of core; Jinja2 3.1.6 makes the same texts of the
// templates that `versions` names.
import { formatNamed, joinParts } from '@callspec/core'
import { CONVERSATIONS, MORE_CONVERSATIONS } from './every-prompt.mjs'
import { call, CLOCK, made, NOW, reply, toolsFor } from './pieces.mjs'
import { cutAt, everyUnits, placesOf } from './reply.mjs'

const ABOUT = 'Models that write the calls of a format by rules of their own, each as a version.'
const REPORTS = {
  parse: 'NousResearch/hermes-agent#55369',
  stream: 'vllm-project/vllm#55079',
  render: 'ngxson/wllama#127',
}

const PYTHON = { true: 'True', false: 'False', null: 'None' }
/** Texts as they are; other values as JSON, or a word as Python has it. */
const shown = (value, words) =>
  value.startsWith('"') ? JSON.parse(value) : words === 'python' ? (PYTHON[value] ?? value) : value

const tagged = (feed, words, between) => (calls) =>
  calls
    .map(({ name, args }) => {
      const values = args.map(([key, value]) => `<parameter=${key}>${feed}${shown(value, words)}${feed}</parameter>\n`)
      return `<tool_call>\n<function=${name}>\n${values.join('')}</function>\n</tool_call>`
    })
    .join(between)

const keyed =
  ([afterName, inPair, afterValue, beforeClose], between) =>
  (calls) =>
    calls
      .map(({ name, args }) => {
        const pair = ([key, value]) =>
          `<arg_key>${key}</arg_key>${inPair}<arg_value>${shown(value, 'json')}</arg_value>${afterValue}`
        return `<tool_call>${name}${afterName}${args.map(pair).join('')}${beforeClose}</tool_call>`
      })
      .join(between)

const json = (between) => (calls) =>
  calls
    .map(({ name, args }) => {
      const members = args.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(', ')
      return `<tool_call>\n{"name": "${name}", "arguments": {${members}}}\n</tool_call>`
    })
    .join(between)

const TAGS = ['<tool_call>', '<function=', '<parameter=', '</parameter>', '</function>', '</tool_call>']
const KEYS = ['<tool_call>', '<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>', '</tool_call>']

const QWEN = {
  id: 'qwen3.5',
  folder: 'qwen3.5',
  values: 'text',
  markers: TAGS,
  stop: '<|im_end|>',
  licence: 'Apache-2.0',
}
const GLM = { id: 'glm-4.7', folder: 'glm', values: 'text', markers: KEYS }
const NOUS = { id: 'nous', folder: 'nous', markers: ['<tool_call>', '</tool_call>'], gap: '\n', licence: 'Apache-2.0' }

const LATER_QWEN = {
  ...QWEN,
  calls: tagged('\n', 'json', '\n'),
  gap: '\n\n',
  thought: { open: '<think>\n', close: '\n</think>\n\n' },
  readsNone: true,
}
const NEMOTRON = {
  ...QWEN,
  calls: tagged('\n', 'python', '\n'),
  gap: '\n',
  thought: { open: '<think>\n', close: '\n</think>\n' },
  licence: 'template as carried by TRL: Apache-2.0',
}
const STEP = {
  ...QWEN,
  calls: tagged('\n', 'python', ''),
  gap: '',
  thought: { open: '<think>\n', close: '\n</think>\n' },
}
const LAGUNA_XS = {
  ...GLM,
  calls: keyed(['\n', '\n', '\n', ''], '\n'),
  gap: '\n',
  thought: { open: '<think>\n', close: '\n</think>\n' },
  stop: '</assistant>',
  licence: 'template as carried by llama.cpp: MIT',
}

const VERSIONS = [
  { ...LATER_QWEN, version: 'qwen3.6', sha256: 'e84f32a23fdd', source: 'huggingface/trl@f2cd577, qwen3_6.jinja' },
  {
    ...LATER_QWEN,
    version: 'qwen3.8',
    sha256: 'c3cf9e34abf4',
    source: 'xorbitsai/inference@7ecec16, llm_family.json (qwen3.8)',
  },
  {
    ...LATER_QWEN,
    version: 'qwen3.8-max',
    sha256: '40ce34a5bcbc',
    source: 'xorbitsai/inference@7ecec16, llm_family.json (qwen3.8-max)',
  },
  {
    ...NEMOTRON,
    version: 'nemotron-3',
    sha256: 'ab7813c3abdd',
    source: 'huggingface/trl@f2cd577, nemotron_3_nano.jinja',
  },
  {
    ...NEMOTRON,
    version: 'nemotron-3-super',
    sha256: '575fb74f54ed',
    source: 'huggingface/trl@f2cd577, nemotron_3_super.jinja',
  },
  {
    ...NEMOTRON,
    version: 'nemotron-3-ultra',
    thought: { open: '<think>\n', close: '</think>' },
    sha256: '82753bef5ced',
    source: 'huggingface/trl@f2cd577, nemotron_3_ultra.jinja',
  },
  {
    ...STEP,
    version: 'step-3.5',
    sha256: 'b18b99dff726',
    source: 'ikawrakow/ik_llama.cpp@8337e4c, stepfun-ai-Step-3.5-Flash.jinja',
  },
  { ...STEP, version: 'step-3.7', source: 'Step-3.7-Flash, as llama.cpp at ca13f4c has its template' },
  {
    ...QWEN,
    version: 'mimo-v2.6',
    calls: tagged('', 'python', ''),
    gap: '',
    thought: { open: '<think>', close: '</think>' },
    source: 'vLLM 0.33.0 (parser/mimo.py) and SGLang 0.5.23 (function_call/mimo_detector.py)',
  },
  {
    ...GLM,
    version: 'ling-3',
    calls: keyed(['\n', '\n', '', '\n'], '\n'),
    gap: '\n',
    thought: { open: '<think>', close: '</think>' },
    stop: '<|role_end|>',
    sha256: 'b4ab3a1c8f74',
    source: 'xorbitsai/inference@7ecec16, llm_family.json (Ling-3.0-flash)',
    licence: 'MIT',
  },
  {
    ...LAGUNA_XS,
    version: 'laguna-xs.2',
    sha256: 'cefcef905157',
    source: 'erm14254/llama.cpp-minimax-m3-combined@7e743c3, poolside-Laguna-XS.2.jinja',
  },
  {
    ...LAGUNA_XS,
    version: 'laguna-xs-2.1',
    sha256: '5f1bf14725b6',
    source: 'erm14254/llama.cpp-minimax-m3-combined@7e743c3, poolside-Laguna-XS-2.1.jinja',
  },
  {
    ...LAGUNA_XS,
    version: 'laguna-s-2.1',
    calls: keyed(['', '', '', ''], ''),
    gap: '',
    thought: { open: '<think>', close: '</think>' },
    sha256: '2d3c724b3c2e',
    source: 'erm14254/llama.cpp-minimax-m3-combined@7e743c3, poolside-Laguna-S-2.1.jinja',
  },
  {
    ...NOUS,
    version: 'granite-4.0',
    calls: json('\n'),
    stop: '<|end_of_text|>',
    sha256: '9524df67b77a',
    source: 'erm14254/llama.cpp-minimax-m3-combined@7e743c3, ibm-granite-granite-4.0.jinja',
  },
  {
    ...NOUS,
    version: 'granite-4.1',
    calls: json('\n'),
    stop: '<|end_of_text|>',
    sha256: 'fed2756d2d24',
    source: 'erm14254/llama.cpp-minimax-m3-combined@7e743c3, ibm-granite-granite-4.1.jinja',
  },
  {
    ...NOUS,
    version: 'reka-edge',
    calls: json(''),
    thought: { open: '<think>\n', close: '\n</think>\n\n' },
    stop: '<sep>',
    licence: 'template as carried by llama.cpp: MIT',
    sha256: '546b04dba749',
    source: 'ikawrakow/ik_llama.cpp@8337e4c, Reka-Edge.jinja',
  },
]

/** A text with line feeds at its ends, and one that only looks like a value. */
const FEEDS = call('note', ['q', JSON.stringify('\n a\n')], ['r', '"5"'])
const KINDS = call(
  'set',
  ['i', '-5'],
  ['f', '1.0'],
  ['t', 'true'],
  ['n', 'null'],
  ['l', '[1, "a", null]'],
  ['o', '{"a": {"b": [true]}}'],
)

const provenanceOf = ({ source, licence, sha256 }) => ({
  kind: sha256 === undefined ? 'parser' : 'template',
  source: sha256 === undefined ? source : `chat template as in ${source}, sha256 ${sha256}…`,
  licence,
})

const named = (version, op, item) => ({
  ...made(version, op, ['versions', ABOUT, [REPORTS[op]]], { ...item, name: `${version.version}: ${item.name}` }),
  profile: version.version,
  provenance: provenanceOf(version),
})

function parseCases(version) {
  const one = (name, about, parts) => {
    const { text, items, input } = reply(version, parts)
    return named(version, 'parse', { name, about, input: { text, ...input }, expected: { items } })
  }
  const ended = reply(version, { calls: [CLOCK] })
  return [
    one('a call', 'The smallest reply with a call.', { calls: [CLOCK] }),
    one('no arguments', 'A call without arguments is a call.', { calls: [NOW] }),
    one('prose and two calls', 'In the order of the reply.', { before: 'Let me look.', calls: [CLOCK, NOW] }),
    ...(version.thought === undefined
      ? []
      : [
          one('a thought and a call', 'What is around a thought is the version’s own.', {
            thought: 'Hm, 1 < 2.',
            calls: [CLOCK],
          }),
        ]),
    one('a value of each kind', 'Each has its type, as the template spells it.', { calls: [KINDS] }),
    one('line feeds at the ends of a text', 'Those of the template are not the value’s.', { calls: [FEEDS] }),
    ...(version.readsNone === true ? [noneCase(version)] : []),
    ...(version.stop === undefined
      ? []
      : [
          named(version, 'parse', {
            name: 'its end token, left in the reply',
            about: 'Some servers show the token that ends a turn: it is no text.',
            input: { ...ended.input, text: ended.text + version.stop },
            expected: { items: ended.items },
          }),
        ]),
  ]
}

/** Values are JSON, which has no `None`. */
function noneCase(version) {
  const given = call('set', ['v', '"None"'])
  const tools = toolsFor([given], () => ({ type: ['string', 'null'] }))
  const { text, items } = reply(version, { calls: [given] })
  return named(version, 'parse', {
    name: 'the text None where null is allowed',
    about: 'Null is written as null, so that None is a text.',
    input: { text, tools },
    expected: { items },
  })
}

function streamCases(version) {
  const thought = version.thought === undefined ? {} : { thought: 'Hm.' }
  const { text, items, input } = reply(version, { ...thought, before: 'Let me look.', calls: [CLOCK, FEEDS] })
  const ways = [
    ['character by character', [...text]],
    ['three units at a time', everyUnits(text, 3)],
    [
      'one character before the end of each marker',
      cutAt(
        text,
        placesOf(text, version.markers).map(({ end }) => end - 1),
      ),
    ],
  ]
  return ways.map(([way, chunks]) =>
    named(version, 'stream', {
      name: `thought, prose and two calls, ${String(way)}`,
      about: 'What is read does not depend on where deltas end.',
      input: { chunks, ...input },
      expected: { final: { items } },
    }),
  )
}

function renderCases(version) {
  const { prompt } = formatNamed(`${version.id}@${version.version}`)
  if (prompt === null) return []
  return [...CONVERSATIONS, ...MORE_CONVERSATIONS].flatMap(({ name, about, input }) => {
    const asked = new Map([...input, ['add_generation_prompt', true]])
    const { messages, tools } = Object.fromEntries(asked)
    const outcome = prompt({ messages, tools, options: new Map([['add_generation_prompt', true]]) })
    if (outcome.kind === 'refused') return []
    return [named(version, 'render', { name, about, input: asked, expected: { text: joinParts(outcome.parts) } })]
  })
}

export const VERSION_CASES = VERSIONS.flatMap((version) => [
  ...parseCases(version),
  ...streamCases(version),
  ...renderCases(version),
])
