/** A file of a new format, relative to the folder of the formats in a checkout. */
export interface FormatFile {
  readonly path: string
  readonly text: string
}

/** The folder of a format that callspec is to bring along. */
export function formatFolder(id: string): readonly FormatFile[] {
  const name = valueName(id)
  return [
    { path: `${id}/README.md`, text: readmeText(id) },
    { path: `${id}/index.ts`, text: indexText(id, name) },
  ]
}

/**
 * The list of formats with one more.
 *
 * @returns null where the text is not the list as we know it
 */
export function withEntry(list: string, id: string): string | null {
  const name = valueName(id)
  const open = list.indexOf('export const FORMATS')
  const close = list.indexOf('\n]', open)
  const from = list.lastIndexOf('\nimport ', open)
  if (open < 0 || close < 0 || from < 0) return null
  const line = list.indexOf('\n', from + 1)
  const imported = `${list.slice(0, line)}\nimport { ${name} } from './${id}/index.ts'${list.slice(line, close)}`
  return `${imported}\n  ${name},${list.slice(close)}`
}

/**
 * The imports of single formats with one more.
 *
 * @returns null where the text is not the table as we know it
 */
export function withLoader(table: string, id: string): string | null {
  const close = table.indexOf('\n}', table.indexOf('const LOADERS'))
  if (close < 0) return null
  const key = /^\w+$/.test(id) ? id : `'${id}'`
  const loader = `\n  ${key}: async () => (await import('./${id}/index.ts')).${valueName(id)},`
  return table.slice(0, close) + loader + table.slice(close)
}

/**
 * The package.json of core with an entry for pages that load this format only.
 *
 * @returns null where the text is not that file as we know it
 */
export function withExport(manifest: string, id: string): string | null {
  const before = manifest.indexOf('\n    "./grammar": {')
  if (before < 0) return null
  const file = `formats/${id}/index`
  const entry = {
    '@callspec/source': `./src/${file}.ts`,
    types: `./dist/${file}.d.ts`,
    default: `./dist/${file}.js`,
  }
  const text = `\n"./formats/${id}": ${JSON.stringify(entry, null, 2)},`.replaceAll('\n', '\n    ')
  return manifest.slice(0, before) + text + manifest.slice(before)
}

/** `acme-2.5` is `acme25`. */
function valueName(id: string): string {
  return id.replaceAll(/[-._]+(.)/g, (_, next: string) => next.toUpperCase())
}

function readmeText(id: string): string {
  return `# ${id}: what it is in one line

Which models speak it, and what sets it apart.

## Anatomy

| piece                                 | meaning |
| ------------------------------------- | ------- |
| \`<call>\` NAME \`<args>\` JSON \`</call>\` | a call  |

## One prompt

## Three replies

## Oddities

## Source and licence
`
}

function indexText(id: string, name: string): string {
  return `import { dumps, truthy } from '@callspec/python'
import { partWriter, prompting } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { argumentsText, contentText, messageCalls, roleOf } from '../../conversation/message-view.ts'
import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { Grammar } from '../../grammar/grammar.ts'

/** How replies are read. */
const grammar: Grammar = {
  start: 'text',
  stops: ['<|${id}_end|>'],
${statesText(2)}
}

/** What it is in one line. Its README describes it with examples. */
export const ${name}: Format = grammarFormat({
  id: '${id}',
  about: { models: 'who speaks it', source: 'what it was taken from, with its version', licence: 'Apache-2.0' },
  grammar,
  spelling: { call: (call) => \`<call>\${call.name}<args>\${call.arguments}</call>\` },
  prompt,
})

/** The prompt of a conversation: tokens and texts in turn. */
function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    for (const tool of tools ?? []) writer.add('<|${id}_tool|>', dumps(tool))
    for (const message of messages) {
      writer.add(\`<|${id}_\${roleOf(message)}|>\`, contentText(message))
      for (const { name, arguments: given } of messageCalls(message))
        writer.add('<call>', name, '<args>', argumentsText(given), '</call>')
      writer.add('<|${id}_end|>')
    }
    if (truthy(options.get('add_generation_prompt'))) writer.add('<|${id}_assistant|>')
    return writer.parts()
  })
}
`
}

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

/** The states of the format to begin with, as code of a grammar, indented by so many blanks. */
export function statesText(indent: number): string {
  return STATES.split('\n')
    .map((line) => ' '.repeat(indent) + line)
    .join('\n')
}

const STATES = `states: {
  // > Let me look. <call>clock<args>{"zone": "UTC"}</call>
  //   ^
  text: { kind: 'text', transitions: { '<call>': { to: 'name', opens: true } } },
  // > <call>clock<args>{"zone": "UTC"}</call>
  //         ^
  name: { kind: 'name', transitions: { '<args>': 'arguments' } },
  // > <call>clock<args>{"zone": "UTC"}</call>
  //                    ^
  arguments: { kind: 'json', transitions: { '</call>': { to: 'text', closes: true } } },
},`
