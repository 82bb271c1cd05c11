import { statesText } from './states-text.ts'

/** A file of a new format, relative to the folder of the formats in a checkout. */
export interface FormatFile {
  readonly path: string
  readonly text: string
}

/** The folder of a format that callspec is to bring along. */
export function formatFolder(id: string): readonly FormatFile[] {
  const name = valueName(id)
  return [
    { path: `${id}/README.md`, text: readme(id) },
    { path: `${id}/grammar.ts`, text: grammar(id) },
    { path: `${id}/prompt.ts`, text: prompt(id) },
    { path: `${id}/index.ts`, text: index(id, name) },
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

/** `acme-2.5` is `acme25`. */
function valueName(id: string): string {
  return id.replaceAll(/[-._]+(.)/g, (_, next: string) => next.toUpperCase())
}

function readme(id: string): string {
  return `# ${id}: what it is in one line

Which models speak it, and what sets it apart.

## Anatomy

| piece                            | meaning |
| -------------------------------- | ------- |
| \`<call>\` NAME \`<args>\` JSON \`</call>\` | a call  |

## One prompt

## Three replies

## Oddities

## Source and licence
`
}

function grammar(id: string): string {
  return `import type { Grammar } from '../../grammar/grammar.ts'

/** How replies are read. */
export const grammar: Grammar = {
  start: 'text',
  stops: ['<|${id}_end|>'],
${statesText(2)}
}
`
}

function prompt(id: string): string {
  return `import { prompting } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { argumentsText, contentText, messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import { dumps, truthy } from '@callspec/python'

/** The prompt of a conversation: tokens and texts in turn. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
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

function index(id: string, name: string): string {
  return `import { grammarFormat } from '../../format/grammar-format.ts'
import type { Format } from '../../format/format.ts'
import { grammar } from './grammar.ts'
import { prompt } from './prompt.ts'

/** What it is in one line. Its README describes it with examples. */
export const ${name}: Format = grammarFormat({
  id: '${id}',
  about: { models: 'who speaks it', source: 'what it was taken from, with its version', licence: 'Apache-2.0' },
  grammar,
  spelling: { call: (call) => \`<call>\${call.name}<args>\${call.arguments}</call>\` },
  prompt,
})
`
}
