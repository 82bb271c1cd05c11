import { statesText } from './states-text.ts'

/**
 * A format as a module that any project can hold: every command takes it as `--format ./NAME.mjs`. It imports nothing, so
 * that it works wherever the program does.
 */
export function formatModule(id: string): string {
  return `// The format ${id}, as one value: how replies are read, how calls are written, how a conversation is shown.
// Change the markers, then: callspec parse answer.txt --format ./${id}.mjs
//                           callspec fuzz --format ./${id}.mjs
//                           callspec conformance run --format ./${id}.mjs --cases ${id}.cases.jsonl

/** JSON of data that was read without loss: maps are Map, ints are bigint. */
function json(value) {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return \`[\${value.map(json).join(', ')}]\`
  if (value instanceof Map) return \`{\${[...value].map(([key, each]) => \`\${JSON.stringify(key)}: \${json(each)}\`).join(', ')}}\`
  return JSON.stringify(value ?? null)
}

const token = (text) => ({ kind: 'token', text })
const plain = (text) => ({ kind: 'text', text })

export const format = {
  id: '${id}',
  about: { models: 'the models of ${id}', source: 'what its maker published, with the version', licence: 'Apache-2.0' },

  // Every state says what its text is, and which markers end it.
  grammar: {
    start: 'text',
    stops: ['<|${id}_end|>'],
${statesText(4)}
  },

  // The inverse: a call as the model writes it.
  spelling: { call: (call) => \`<call>\${call.name}<args>\${call.arguments}</call>\` },

  // Messages in the OpenAI shape, in parts: tokens apart from texts, so that nothing a user says becomes a token.
  prompt: ({ messages, tools, options }) => {
    const parts = (tools ?? []).flatMap((tool) => [token('<|${id}_tool|>'), plain(json(tool))])
    for (const message of messages) {
      const calls = (message.get('tool_calls') ?? []).map((call) => call.get('function'))
      const said = message.get('content') ?? ''
      parts.push(token(\`<|${id}_\${message.get('role')}|>\`), plain(typeof said === 'string' ? said : json(said)))
      for (const call of calls)
        parts.push(token('<call>'), plain(call.get('name')), token('<args>'), plain(argumentsText(call)), token('</call>'))
      parts.push(token('<|${id}_end|>'))
    }
    if (options.get('add_generation_prompt')) parts.push(token('<|${id}_assistant|>'))
    return { kind: 'prompted', parts }
  },
}

function argumentsText(call) {
  const given = call.get('arguments') ?? '{}'
  return typeof given === 'string' ? given : json(given)
}
`
}

/** Cases for it: each is one line, and the first three are worth keeping. */
export function formatCases(id: string): string {
  const about = (name: string): object => ({
    id: `${id}/parse/basic#${name}`,
    op: 'parse',
    format: id,
    profile: 'strict',
  })
  const call = { type: 'call', name: 'clock', arguments: '{"zone": "UTC"}' }
  const text = '<call>clock<args>{"zone": "UTC"}</call>'
  const cases = [
    { ...about('one call'), input: { text }, expected: { items: [call] } },
    {
      ...about('prose and a call'),
      input: { text: `Now.${text}` },
      expected: { items: [{ type: 'text', text: 'Now.' }, call] },
    },
    { ...about('cut inside the arguments'), input: { text: text.slice(0, -9) }, expected: { items: [] } },
    {
      ...about('a question'),
      ...{ id: `${id}/render/basic#a question`, op: 'render' },
      input: { messages: [{ role: 'user', content: 'Hi' }], add_generation_prompt: true },
      expected: { text: `<|${id}_user|>Hi<|${id}_end|><|${id}_assistant|>` },
    },
  ]
  return cases.map((each) => `${JSON.stringify(each)}\n`).join('')
}
