// What must hold of a prompt and of a run, however their texts are spelt: strict cases that state properties only.
import { report } from './nous-reply.mjs'

const WRITTEN_FOR = 'packages/core/src/formats/nous/README.md'
const tool = (name, properties = {}, more = {}) => ({
  name,
  description: `The tool ${name}.`,
  parameters: { type: 'object', properties, required: [], ...more },
})
const ZONE = { zone: { type: 'string', description: 'IANA name.' } }
const CLOCK = tool('clock', ZONE)
const NOTE = tool('note', { text: { type: 'string' } })
const ASK = { role: 'user', content: 'What time is it in Oslo?' }
const asked = (name, args, content = '') => ({
  role: 'assistant',
  content,
  function_call: { name, arguments: JSON.stringify(args) },
})
const result = (name, content) => ({ role: 'function', name, content })
const declared = (tools) => tools.map(({ name, parameters }) => ({ name, parameters }))
const OSLO = { zone: 'Europe/Oslo' }
const ROME = { zone: 'Europe/Rome' }
const BOTH = {
  reason: 'answered',
  calls: [
    { name: 'clock', arguments: OSLO },
    { name: 'clock', arguments: ROME },
  ],
  results: ['12:00', '13:00'],
  answer: 'Done.',
}

const TOPICS = {
  tools: 'Every tool is visible to the model, in the order and spelling in which it was given.',
  history: 'Calls, results and prose of a conversation are visible, each once.',
  values: 'Texts and numbers reach the prompt as they are.',
  basic: 'Runs of an agent against a script.',
  'several-calls': 'Several calls in one reply.',
  termination: 'Every run ends, and says why.',
  'tool-failures': 'A tool that fails does not end the run.',
  'unknown-tools': 'Calls of tools that do not exist reach no tool; the model hears of it and may go on.',
}

const made = (op, topic, { name, about, evidence, input, properties }) => ({
  ...{ format: 'nous', op, topic, topicAbout: TOPICS[topic], name, about, input },
  ...(evidence === undefined ? {} : { evidence: [report(evidence)] }),
  ...{ expected: { properties }, writtenFor: WRITTEN_FOR },
})

const showsTools = (name, about, tools, more = {}) =>
  made('render', 'tools', {
    ...{ name, about, input: { messages: [ASK], tools } },
    ...{ properties: { tools: declared(tools), texts: [ASK.content] } },
    ...more,
  })

const showsHistory = (name, about, { messages, tools = [CLOCK], ...properties }) =>
  made('render', 'history', { name, about, input: { messages, tools }, properties })

const showsText = (name, about, text) =>
  made('render', 'values', {
    ...{ name, about, input: { messages: [{ role: 'user', content: text }], tools: [CLOCK] } },
    ...{ properties: { tools: declared([CLOCK]), texts: [text] } },
  })

const block = (name, args) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`
const runs = (topic, name, about, { tools = [{ ...CLOCK, results: ['12:00', '13:00'] }], ...given }) =>
  made('loop', topic, {
    ...{ name, about, evidence: given.evidence },
    input: { messages: [ASK], tools, completions: given.completions, ...given.more },
    properties: given.properties,
  })

const RENDER = [
  showsTools(
    'each of three tools once',
    'A tool that is missing cannot be called, one that stands twice costs tokens.',
    [CLOCK, NOTE, tool('now')],
  ),
  showsTools('two names of which one begins like the other', 'Both are declared.', [CLOCK, tool('clock_in', ZONE)]),
  showsTools('a nested schema', 'Every level of it is there, as JSON.', [
    tool('book', {
      from: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      days: { type: 'array', items: { type: 'integer', minimum: 1 } },
    }),
  ]),
  showsTools('an enumeration of Chinese words', 'Escaped or not, they are the same JSON.', [
    tool('weather', { city: { type: 'string', enum: ['上海', '北京'] } }),
  ]),
  showsTools('null as a default', 'null is a value.', [tool('clock', { zone: { type: 'string', default: null } })]),
  showsTools('a schema that names what it lacks', 'false stays.', [
    tool('clock', ZONE, { additionalProperties: false }),
  ]),
  showsHistory('a call and its result, each once', 'The question, the call and its result, in this order.', {
    messages: [ASK, asked('clock', OSLO), result('clock', '12:34')],
    calls: [{ name: 'clock', arguments: OSLO }],
    texts: [ASK.content, '12:34'],
  }),
  showsHistory('two calls and two results in order', 'The second result is not that of the first call.', {
    messages: [ASK, asked('clock', OSLO), asked('clock', ROME), result('clock', '12:34'), result('clock', '12:35')],
    calls: [
      { name: 'clock', arguments: OSLO },
      { name: 'clock', arguments: ROME },
    ],
    texts: [ASK.content, '12:34', '12:35'],
  }),
  showsHistory('prose beside a call', 'It is not lost.', {
    messages: [ASK, asked('clock', OSLO, 'Let me look.'), result('clock', '12:34')],
    calls: [{ name: 'clock', arguments: OSLO }],
    texts: [ASK.content, 'Let me look.', '12:34'],
  }),
  showsHistory('two rounds of question and answer', 'Nothing of the first one is lost.', {
    messages: [ASK, { role: 'assistant', content: 'It is noon.' }, { role: 'user', content: 'And in Rome?' }],
    tools: [CLOCK],
    texts: [ASK.content, 'It is noon.', 'And in Rome?'],
  }),
  showsText(
    'quotes and braces in a question',
    'What the user wrote is there, character by character.',
    'Is {"a": 1} "b"?',
  ),
  showsText(
    'Chinese and an emoji in a question',
    'What the user wrote is there, character by character.',
    '几点了？😀',
  ),
  showsText('placeholders in a question', 'Nothing is filled in.', 'Print {0}, %s, $& and {{ tools }}.'),
]

const ONCE = {
  reason: 'answered',
  calls: [{ name: 'clock', arguments: OSLO }],
  results: ['12:00'],
  answer: 'It is noon.',
}
const LOOP = [
  runs('basic', 'a call runs once', 'The tool is not run again when the answer comes.', {
    completions: [block('clock', OSLO), 'It is noon.'],
    properties: ONCE,
  }),
  runs('basic', 'no call runs nothing', 'An answer ends the run.', {
    completions: ['It is noon.'],
    properties: { reason: 'answered', calls: [], results: [], answer: 'It is noon.' },
  }),
  runs('several-calls', 'two calls run once each, in order', 'Results stand in the order of the calls.', {
    evidence: 'QwenLM/Qwen-Agent#561',
    completions: [`${block('clock', OSLO)}\n${block('clock', ROME)}`, 'Done.'],
    properties: BOTH,
  }),
  runs('several-calls', 'a call in each of two turns', 'Both run, and the run ends with the answer.', {
    completions: [block('clock', OSLO), block('clock', ROME), 'Done.'],
    properties: BOTH,
  }),
  runs('several-calls', 'two tools run once each', 'Each gets its own arguments.', {
    tools: [
      { ...CLOCK, results: ['12:00'] },
      { ...NOTE, results: ['written'] },
    ],
    completions: [`${block('note', { text: 'a' })}\n${block('clock', OSLO)}`, 'Done.'],
    properties: {
      reason: 'answered',
      calls: [
        { name: 'note', arguments: { text: 'a' } },
        { name: 'clock', arguments: OSLO },
      ],
      results: ['written', '12:00'],
      answer: 'Done.',
    },
  }),
  runs('termination', 'a model that calls for ever', 'The limit of model calls ends the run.', {
    evidence: 'anthropics/claude-code#30150',
    completions: Array.from({ length: 5 }, () => block('clock', OSLO)),
    more: { max_model_calls: 3 },
    properties: { reason: 'model-call-limit' },
  }),
  runs('tool-failures', 'the run goes on behind a tool that raises', 'The model gets its turn and answers.', {
    tools: [{ ...CLOCK, results: [{ raise: { type: 'ValueError', message: 'no such zone' } }] }],
    completions: [block('clock', OSLO), 'I do not know.'],
    properties: { reason: 'answered', calls: [{ name: 'clock', arguments: OSLO }], answer: 'I do not know.' },
  }),
  runs('unknown-tools', 'a tool that does not exist reaches no tool', 'The model gets its turn and answers.', {
    completions: [block('calendar', {}), 'It is noon.'],
    properties: { reason: 'answered', calls: [], answer: 'It is noon.' },
  }),
]

export const PROPERTY_CASES = [...RENDER, ...LOOP]
