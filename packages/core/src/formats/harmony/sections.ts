import { Refusal } from '../../conversation/conversation.ts'
import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { typeText } from './type-text.ts'

/** How much the model is to think, as the format's own library names it; prompts have it in small letters. */
export const EFFORTS: readonly string[] = ['Low', 'Medium', 'High']

/** The text of the content of a system message. `hasFunctions`: whether the conversation defines any. */
export function systemText(part: PyDict, hasFunctions: boolean): string {
  const [cutoff, date] = [textIn(part, 'knowledge_cutoff'), textIn(part, 'conversation_start_date')]
  const effort = textIn(part, 'reasoning_effort')
  if (effort !== null && !EFFORTS.includes(effort)) throw new Refusal('the effort is none of Low, Medium and High')
  const top = [
    textIn(part, 'model_identity'),
    cutoff && `Knowledge cutoff: ${cutoff}`,
    date && `Current date: ${date}`,
  ].filter(isGiven)
  return joined([
    top.length === 0 ? null : top.join('\n'),
    effort && `Reasoning: ${effort.toLowerCase()}`,
    toolsText(part),
    channelsText(part.get('channel_config') ?? null, hasFunctions),
  ])
}

function channelsText(config: PyValue, hasFunctions: boolean): string | null {
  const channels = isDict(config) ? config.get('valid_channels') : null
  if (!isDict(config) || !isList(channels) || channels.length === 0) return null
  const required = config.get('channel_required') === true ? ' Channel must be included for every message.' : ''
  const calls = hasFunctions ? "\nCalls to these tools must go to the commentary channel: 'functions'." : ''
  return `# Valid channels: ${channels.join(', ')}.${required}${calls}`
}

/** The text of the content of a developer message. */
export function developerText(part: PyDict): string {
  const said = textIn(part, 'instructions')
  return joined([said === null ? null : `# Instructions\n\n${said}`, toolsText(part)])
}

/** Whether a part of a message defines functions of the request; tools of system messages are the maker's. */
export function definesFunctions(part: PyValue): boolean {
  const tools = isDict(part) && part.get('type') === 'developer_content' ? part.get('tools') : null
  const space = isDict(tools) ? tools.get('functions') : null
  return isDict(space) && functionsOf(space).length > 0
}

/** Namespaces in the order of their keys. */
function toolsText(part: PyDict): string | null {
  const tools = part.get('tools')
  if (!isDict(tools) || tools.size === 0) return null
  const sorted = [...tools].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return joined(['# Tools', ...sorted.map(([key, space]) => namespaceText(key, space))])
}

function namespaceText(key: string, space: PyValue): string {
  if (!isDict(space)) throw new Refusal(`the namespace "${key}" is no object`)
  const name = textIn(space, 'name') ?? key
  const [about, functions] = [linesOf(textIn(space, 'description')), functionsOf(space)]
  if (functions.length === 0) return [`## ${name}\n`, ...about].join('\n')
  const types = functions.flatMap(functionLines)
  const open = `namespace ${name} {\n`
  return [`## ${name}\n`, ...commented(about), open, ...types, `} // namespace ${name}`].join('\n')
}

function functionsOf(space: PyDict): readonly PyValue[] {
  const functions = space.get('tools') ?? null
  return isList(functions) ? functions : []
}

function functionLines(value: PyValue): readonly string[] {
  const name = isDict(value) ? textIn(value, 'name') : null
  if (!isDict(value) || name === null) throw new Refusal('a tool has no name')
  const parameters = value.get('parameters') ?? null
  const type = parameters === null ? '()' : `(_: ${typeText(parameters)})`
  return [...commented(linesOf(textIn(value, 'description'))), `type ${name} = ${type} => any;\n`]
}

function commented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `// ${line}`)
}

/** A line feed at the end begins no line. */
function linesOf(text: string | null): readonly string[] {
  const lines = (text ?? '').split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Null for a member that is missing or null. */
export function textIn(dict: PyDict, key: string): string | null {
  const value = dict.get(key) ?? null
  if (value === null || typeof value === 'string') return value
  throw new Refusal(`the member "${key}" is no text`)
}

/** Sections with blank lines between them; those that are missing leave no trace. */
function joined(sections: readonly (string | null)[]): string {
  return sections.filter(isGiven).join('\n\n')
}

function isGiven(text: string | null): text is string {
  return text !== null
}
