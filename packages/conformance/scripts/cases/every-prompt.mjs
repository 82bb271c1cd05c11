// The same conversations in the prompts of every format whose maker's chat template is the one that callspec writes.
//
// The answers are those of `prompt` in core. What Jinja2 3.1.6 makes of the templates that the adapter of llama.cpp lists, under
// the settings of transformers, is the same text: template-prompts.test.ts of cli asks where the templates are at hand.
import { formatNamed, joinParts } from '@callspec/core'
import { loads } from '@callspec/python'

import { report } from './nous-reply.mjs'

/** Of the others the templates differ from copy to copy, in default system texts or dates. */
const FORMATS = {
  'llama3-json': 'llama3-json',
  'qwen3.5': 'qwen3.5',
  'glm-4.5': 'glm',
  'glm-4.7': 'glm',
  'gemma-4': 'gemma',
  'minimax-m2': 'minimax-m2',
  'seed-oss': 'seed-oss',
  lfm2: 'pythonic',
  'lfm2.5': 'pythonic',
}

/** Topic, what it is about, and its report. */
const TOPICS = {
  basic: ['The conversation in the prompt.'],
  tools: ['The tools in the prompt.', 'QwenLM/qwen-code#6338'],
  values: ['Texts and numbers in the prompt.', 'ngxson/wllama#127'],
  history: ['Calls, results and prose of a conversation in the prompt.', 'huggingface/text-generation-inference#3247'],
}

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

const CONVERSATIONS = [
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
