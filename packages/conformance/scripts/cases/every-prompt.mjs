// The same conversations in the prompts of all formats, as cases.
//
// Where the maker's chat template is the one that callspec writes, the answer is `prompt` of core; Jinja2 3.1.6 makes the same text of the
// template that the adapter of llama.cpp lists (template-prompts.long.test.ts of cli). Other templates differ from copy to copy: they are
// named by the sha256 of their text, and their answers were recorded from Jinja2 (adapters/chat-template).
import { loads, dumps } from '@callspec/python'
import { formatNamed, joinParts } from '@callspec/core'
import { report } from './reply.mjs'
import { readFileSync } from 'node:fs'

const say = (role, content) => ({ role, content })
const QUESTION = say('user', 'What time is it?')
const tool = (name, properties, more = {}) => ({
  type: 'function',
  function: { name, description: `The tool ${name}.`, parameters: { type: 'object', properties, ...more } },
})
const CLOCK = tool('clock', { zone: { type: 'string', description: 'IANA name.' } }, { required: ['zone'] })
const NOW = tool('now', {})
const called = (...calls) => ({
  role: 'assistant',
  content: '',
  tool_calls: calls.map(([name, given], at) => ({
    ...{ id: `call0000${at}`, type: 'function' },
    function: { name, arguments: given },
  })),
})
const result = (content, name = 'clock', at = 0) => ({ role: 'tool', tool_call_id: `call0000${at}`, name, content })
const ZONE = ['clock', { zone: 'UTC' }]

const asks = (topic, name, about, input) => ({ topic, name, about, input: loads(JSON.stringify(input)) })
/** Numbers stay as they are written. */
const asksIn = (topic, name, about, json) => ({ topic, name, about, input: loads(json) })

/** Topic, name, what it is about, and the conversation. Numbers stay as they are written. */
export const CONVERSATIONS = [
  asks('basic', 'a question', 'The smallest prompt.', { messages: [QUESTION] }),
  asks('basic', 'a system message and two turns', 'Turns alternate behind the system message.', {
    messages: [say('system', 'Be brief.'), QUESTION, say('assistant', 'Noon.'), say('user', 'And now?')],
  }),
  asks('tools', 'one tool', 'With what asks for calls around it.', { messages: [QUESTION], tools: [CLOCK] }),
  asks('tools', 'two tools and a system message', 'In the order of the request, and the system message is there.', {
    messages: [say('system', 'Be brief.'), QUESTION],
    tools: [CLOCK, NOW],
  }),
  asksIn(
    'values',
    '1.0 and 2^63 in a schema',
    'A float stays a float, and every digit stays.',
    JSON.stringify({
      messages: [QUESTION],
      tools: [tool('set', { v: { type: 'number', default: '@1', maximum: '@2' } })],
    })
      .replace('"@1"', '1.0')
      .replace('"@2"', '9223372036854775808'),
  ),
  asksIn(
    'values',
    '1.0 and 2^63 in a call',
    'A float stays a float, and every digit stays.',
    JSON.stringify({
      messages: [QUESTION, called(['set', { v: '@1', w: '@2' }]), result('ok', 'set')],
      tools: [tool('set', { v: { type: 'number' }, w: { type: 'integer' } })],
    })
      .replace('"@1"', '1.0')
      .replace('"@2"', '9223372036854775808'),
  ),
  asks('history', 'a call and its result', 'Both are there, and the reply is asked for.', {
    messages: [QUESTION, called(ZONE), result('12:00')],
    tools: [CLOCK],
  }),
  asks('history', 'two calls and their results', 'Both calls and both results are there.', {
    messages: [QUESTION, called(ZONE, ['now', {}]), result('12:00'), result('noon', 'now', 1)],
    tools: [CLOCK, NOW],
  }),
  asks('history', 'a call, its result, an answer and a question', 'Calls of before stay in the prompt.', {
    messages: [QUESTION, called(ZONE), result('12:00'), say('assistant', 'It is noon.'), say('user', 'Thanks.')],
    tools: [CLOCK],
  }),
]

/** In which templates differ that few formats share. */
export const MORE_CONVERSATIONS = [
  asks('history', 'prose beside a call', 'Both are there, in one turn.', {
    messages: [QUESTION, { ...called(ZONE), content: 'Let me look.' }, result('12:00')],
    tools: [CLOCK],
  }),
  asks(
    'tools',
    'letters beyond ASCII and markup in a description',
    'They stay as they are, or become escapes of JSON.',
    {
      messages: [QUESTION],
      tools: [tool('clock', { zone: { type: 'string', description: '时区 <b>"UTC" & \'CET\'</b>' } })],
    },
  ),
]

/** Of the others the templates differ from copy to copy, in default system texts or dates. */
const FORMATS = {
  'kimi-k3': 'kimi-k3',
  'deepseek-v4.1': 'deepseek-v3.2',
  'llama3-json': 'llama3-json',
  'qwen3.5': 'qwen3.5',
  'glm-4.5': 'glm',
  'glm-4.7': 'glm',
  'gemma-4': 'gemma',
  'minimax-m2': 'minimax-m2',
  'minimax-m3': 'minimax-m3',
  minicpm5: 'minicpm5',
  command4: 'command4',
  'seed-oss': 'seed-oss',
  lfm2: 'pythonic',
  'lfm2.5': 'pythonic',
  'hy-v3': 'hy-v3',
  gigachat3: 'gigachat3',
  'nemotron-v2': 'nemotron-v2',
}

/** Topic, what it is about, and its report. */
const TOPICS = {
  basic: ['The conversation in the prompt.'],
  tools: ['The tools in the prompt.', 'QwenLM/qwen-code#6338'],
  values: ['Texts and numbers in the prompt.', 'ngxson/wllama#127'],
  history: ['Calls, results and prose of a conversation in the prompt.', 'huggingface/text-generation-inference#3247'],
}

/** What a format refuses, such as two calls in one turn, is left out. */
export const PROMPT_CASES = Object.entries(FORMATS).flatMap(([id, folder]) => {
  const { about, prompt } = formatNamed(id)
  return CONVERSATIONS.flatMap(({ topic, name, about: words, input }) => {
    const [topicAbout, evidence] = TOPICS[topic]
    const asked = new Map([...input, ['add_generation_prompt', true]])
    const { messages, tools } = Object.fromEntries(asked)
    const options = new Map([['add_generation_prompt', true]])
    const outcome = prompt({ messages, tools, options }, 'strict')
    if (outcome.kind === 'refused') return []
    return [
      {
        ...{ format: id, op: 'render', topic, topicAbout, name, about: words, input: asked },
        ...(evidence === undefined ? {} : { evidence: [report(evidence)] }),
        provenance: { kind: 'template', source: about.source, licence: about.licence },
        expected: { text: joinParts(outcome.parts) },
        writtenFor: `packages/core/src/formats/${folder}/README.md`,
      },
    ]
  })
})

/**
 * Formats whose maker publishes a program that writes prompts. Its prompts and the chat templates of its models differ, in where a system
 * message is and in blanks, so a case states what must be in each of them. Calls are JSON with their name in one of these only.
 */
const MAKERS = {
  'mistral-v3': {
    ...{ folder: 'mistral', program: 'mistral-common 1.13.1', hasWholeCalls: true, hasTools: true },
    // Its chat template refuses prose beside a call.
    leftOut: ['prose beside a call'],
  },
  'mistral-v11': { folder: 'mistral', program: 'mistral-common 1.13.1', hasTools: true },
  'mistral-v13': { folder: 'mistral', program: 'mistral-common 1.13.1', hasTools: true },
  // It declares tools as types, in which a default is shown and a maximum is not.
  harmony: { folder: 'harmony', program: 'openai-harmony 0.0.8', leftOut: ['1.0 and 2^63 in a schema'] },
  'command-r7b': { folder: 'command-r7b', program: 'cohere-melody 0.15.3', hasTools: true },
}

/** What of a call is in every prompt, in this order, where the call is not one JSON object. */
const partsOfCall = (call) => {
  const { name, arguments: given } = Object.fromEntries(call.get('function'))
  return [name, ...[...given].flatMap(([key, value]) => [dumps(key), dumps(value)])]
}

/** Texts of a conversation in the order of each prompt; a system message is where the maker puts it, so only before one question. */
const textsOf = (messages, { hasWholeCalls }) => {
  const users = messages.filter((message) => message.get('role') === 'user').length
  return messages.flatMap((message) => {
    const [role, content] = [message.get('role'), message.get('content')]
    if (role === 'system') return users === 1 ? [content] : []
    const calls = hasWholeCalls ? [] : (message.get('tool_calls') ?? []).flatMap(partsOfCall)
    return [...(content === '' ? [] : [content]), ...calls]
  })
}

const propertiesOf = (input, maker) => {
  const [messages, tools] = [input.get('messages'), input.get('tools') ?? []]
  const calls = messages.flatMap((message) => message.get('tool_calls') ?? []).map((call) => call.get('function'))
  const declared = tools.map((each) => new Map([...each.get('function')].filter(([key]) => key !== 'description')))
  return new Map([
    ...(maker.hasTools === true ? [['tools', declared]] : []),
    ...(maker.hasWholeCalls === true ? [['calls', calls]] : []),
    ['texts', textsOf(messages, maker)],
  ])
}

const MAKERS_CONVERSATIONS = [...CONVERSATIONS, ...MORE_CONVERSATIONS.slice(0, 1)]

export const MAKERS_PROMPT_CASES = Object.entries(MAKERS).flatMap(([format, maker]) =>
  MAKERS_CONVERSATIONS.filter(({ name }) => maker.leftOut?.includes(name) !== true).map(
    ({ topic, name, about, input }) => {
      const [topicAbout, evidence] = TOPICS[topic]
      return {
        ...{ format, op: 'render', topic, topicAbout, name, about, input },
        ...(evidence === undefined ? {} : { evidence: [report(evidence)] }),
        provenance: {
          kind: 'parser',
          source: `${maker.program}, and chat templates of its models`,
          licence: 'Apache-2.0',
        },
        expected: new Map([['properties', propertiesOf(input, maker)]]),
        writtenFor: `packages/core/src/formats/${maker.folder}/README.md`,
      }
    },
  ),
)

const LISTED = JSON.parse(readFileSync(new URL('../../adapters/llama.cpp/templates.json', import.meta.url), 'utf8'))

/** A day that templates show which ask for today's. */
const TODAY = { today: '2026-01-15' }
const APACHE = { licence: 'Apache-2.0' }
const MIT = { licence: 'MIT' }
/** It appends to a list, which the sandbox of transformers forbids: conversations with calls have no prompt. */
const KIMI_K2 = { licence: 'Modified MIT', isRefused: ({ name }) => /^(?!.*in a schema).*(?:call|Calls)/.test(name) }

/** What else is known of each template: its licence, the day where it shows one, and conversations that Jinja2 refuses. */
const TEMPLATES = {
  'mistral-v3': APACHE,
  'mistral-v11': { ...APACHE, ...TODAY },
  'mistral-v13': APACHE,
  'deepseek-r1': MIT,
  'deepseek-v3': APACHE,
  'deepseek-v3.1': MIT,
  'deepseek-v3.2': MIT,
  'deepseek-v4': MIT,
  'granite-3': { ...APACHE, ...TODAY },
  harmony: { ...APACHE, ...TODAY },
  'kimi-k2': KIMI_K2,
  'kimi-k2-thinking': KIMI_K2,
  'kimi-k3': MIT,
  'qwen3-coder': APACHE,
  'phi-4-mini': { ...APACHE, argumentsAs: 'text' },
  // It asks for the length of the list of tools, which is null without tools.
  functiongemma: { ...APACHE, isRefused: ({ input }) => !input.has('tools') },
  'llama-4': APACHE,
  pythonic: APACHE,
  apertus: { ...APACHE, ...TODAY },
  'hunyuan-a13b': { ...APACHE, ...TODAY },
}

export const NAMED_TEMPLATE_CASES = Object.entries(TEMPLATES).flatMap(([format, known]) => {
  const { source, sha256, bos, eos } = LISTED.find((each) => each.format === format)
  const short = sha256.slice(0, 12)
  const variables = Object.entries({ bos_token: bos, eos_token: eos, today: known.today })
  return [...CONVERSATIONS, ...MORE_CONVERSATIONS]
    .filter((each) => known.isRefused?.(each) !== true)
    .map(({ name, about, input }) => ({
      ...{ format, op: 'render', topic: 'chat-template', profile: `chat-template@${short}` },
      topicAbout: 'What the chat template of a model makes of a conversation, by the sha256 of its text.',
      ...{ name: `${short}: ${name}`, about },
      provenance: { kind: 'template', source, licence: known.licence, sha256 },
      input: new Map([
        ...(known.argumentsAs === 'text' ? withTextArguments(input) : input),
        ...variables.filter(([, value]) => value !== undefined),
      ]),
    }))
})

/** The arguments of calls as JSON texts, for a template that prints them as they are. */
function withTextArguments(input) {
  const asText = (call) => {
    const inner = call.get('function')
    return new Map(call).set('function', new Map(inner).set('arguments', dumps(inner.get('arguments'))))
  }
  const messages = input
    .get('messages')
    .map((message) =>
      message.has('tool_calls') ? new Map(message).set('tool_calls', message.get('tool_calls').map(asText)) : message,
    )
  return new Map(input).set('messages', messages)
}
