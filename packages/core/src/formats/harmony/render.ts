import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import type { PromptPart } from '../../conversation/conversation.ts'
import type { HarmonyMessage, Namespace, Section } from './message.ts'
import { CALL, CHANNEL, CONSTRAIN, END, MESSAGE, RETURN, START } from './tokens.ts'
import { typeText } from './type-text.ts'

/** How a conversation ends, and whether thoughts before the first answer may be left out. */
export interface RenderOptions {
  /** `completion`: the next message is begun. `training`: a last answer ends with `<|return|>`. */
  readonly mode: 'completion' | 'conversation' | 'training'
  readonly dropsThoughts: boolean
}

/** The prompt of messages: nothing stands between them. */
export function renderMessages(
  messages: readonly HarmonyMessage[],
  { mode, dropsThoughts }: RenderOptions,
): readonly PromptPart[] {
  const writer = partWriter()
  const hasFunctions = messages.some(({ content }) => content.some(definesFunctions))
  const shown = dropsThoughts ? withoutOldThoughts(messages) : messages
  for (const [index, message] of shown.entries()) {
    writeHead(writer, message)
    for (const each of message.content)
      writer.text(
        typeof each === 'string' ? each : each.map((section) => sectionText(section, hasFunctions)).join('\n\n'),
      )
    const isCall = message.role === 'assistant' && message.recipient !== undefined
    const isLastAnswer = message.role === 'assistant' && message.channel === 'final' && index === shown.length - 1
    writer.add(mode === 'training' && isLastAnswer ? RETURN : isCall ? CALL : END)
  }
  if (mode === 'completion') writer.add(START, 'assistant')
  return writer.parts()
}

/** Where the last message of the assistant is an answer, thoughts before the first answer are dropped. */
function withoutOldThoughts(messages: readonly HarmonyMessage[]): readonly HarmonyMessage[] {
  const first = messages.findIndex(({ channel }) => channel === 'final')
  if (messages.findLast(({ role }) => role === 'assistant')?.channel !== 'final') return messages
  return messages.filter(({ channel }, index) => index >= first || channel !== 'analysis')
}

function writeHead(writer: PartWriter, { role, name, recipient, channel, type }: HarmonyMessage): void {
  const to = recipient === undefined || recipient === 'all' ? '' : ` to=${recipient}`
  writer.add(START, role + (name === undefined ? '' : `:${name}`) + to)
  if (channel !== undefined) writer.add(CHANNEL, channel)
  if (type?.startsWith(CONSTRAIN) === true) {
    writer.text(' ')
    writer.add(CONSTRAIN, type.slice(CONSTRAIN.length))
  } else if (type !== undefined) writer.text(` ${type}`)
  writer.add(MESSAGE)
}

function definesFunctions(content: HarmonyMessage['content'][number]): boolean {
  if (typeof content === 'string') return false
  return content.some((section) => section.kind === 'tools' && section.definesFunctions)
}

function sectionText(section: Section, hasFunctions: boolean): string {
  if (section.kind === 'text') return section.text
  if (section.kind === 'tools') return ['# Tools', ...section.namespaces.map(namespaceText)].join('\n\n')
  return section.text + (hasFunctions ? CALLS_GO_TO : '')
}

const CALLS_GO_TO = "\nCalls to these tools must go to the commentary channel: 'functions'."

function namespaceText({ name, description, functions }: Namespace): string {
  const about = linesOf(description)
  if (functions.length === 0) return [`## ${name}\n`, ...about].join('\n')
  const types = functions.flatMap((each) => {
    const type = each.parameters === undefined ? '()' : `(_: ${typeText(each.parameters)})`
    return [...commented(linesOf(each.description)), `type ${each.name} = ${type} => any;\n`]
  })
  const open = `namespace ${name} {\n`
  return [`## ${name}\n`, ...commented(about), open, ...types, `} // namespace ${name}`].join('\n')
}

function commented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `// ${line}`)
}

/** A line feed at the end begins no line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
