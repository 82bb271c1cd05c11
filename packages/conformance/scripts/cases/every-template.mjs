// The same conversations in the prompts of chat templates that differ from copy to copy, named by the sha256 of their texts.
//
// Their answers are what Jinja2 makes of the templates: see adapters/chat-template. Formats whose maker's template is the one that
// callspec writes are asked under strict, by every-prompt.mjs.
import { readFileSync } from 'node:fs'

import { dumps } from '@callspec/python'

import { CONVERSATIONS, MORE_CONVERSATIONS } from './conversations.mjs'

const LISTED = JSON.parse(readFileSync(new URL('../../adapters/llama.cpp/templates.json', import.meta.url), 'utf8'))

/** A day that templates show which ask for today's. */
const TODAY = { today: '2026-01-15' }
const APACHE = { licence: 'Apache-2.0' }
const MIT = { licence: 'MIT' }
/** It appends to a list, which the sandbox of transformers forbids: conversations with calls have no prompt. */
const KIMI_K2 = { licence: 'Modified MIT', isRefused: ({ name }) => /^(?!.*in a schema).*(?:call|Calls)/.test(name) }

/** What is known of each template besides: its licence, the day where it shows one, and conversations that Jinja2 refuses. */
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
  // It asks for the length of the list of tools, which is null where there are none.
  functiongemma: { ...APACHE, isRefused: ({ input }) => !input.has('tools') },
  'llama-4': APACHE,
  pythonic: APACHE,
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
