// Conversations in which chat templates differ, as cases of several formats ask them.
import { loads } from '@callspec/python'

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
