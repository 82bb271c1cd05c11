import { Refusal } from '../../conversation/conversation.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { isDict, isList } from '@callspec/python'
import { COMPACT_JSON, valueText } from '../../conversation/value-notation.ts'

/** How much the model is to think, as the format's own library names it; prompts have it in small letters. */
export const EFFORTS: readonly string[] = ['Low', 'Medium', 'High']

/** The text of the content of a system message. `hasFunctions`: whether the conversation defines any. */
export function systemText(part: PyDict, hasFunctions: boolean): string {
  const [cutoff, date] = [textIn(part, 'knowledge_cutoff'), textIn(part, 'conversation_start_date')]
  const effort = textIn(part, 'reasoning_effort')
  if (effort !== null && !EFFORTS.includes(effort)) throw new Refusal('the effort is not Low, Medium or High')
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

/** A JSON schema as the library writes it in TypeScript. Members of nested objects are indented by four blanks a level. */
function typeText(schema: PyValue, indent = ''): string {
  if (!isDict(schema)) return 'any'
  const [type, variants] = [schema.get('type'), schema.get('oneOf')]
  if (isList(variants))
    return variants.map((each) => `\n${indent} | ${variantText(each, indent, commentOf(each))}`).join('')
  const names = textsIn(schema, 'type').map((each) => (each === 'integer' ? 'number' : each))
  if (names.length > 0) return names.join(' | ')
  if (type === 'object') return objectText(schema, indent)
  if (type === 'string') return textsIn(schema, 'enum').map(inDoubleQuotes).join(' | ') || 'string'
  if (type === 'array') return schema.has('items') ? `${typeText(schema.get('items') ?? null, indent)}[]` : 'Array<any>'
  return (typeof type === 'string' ? PLAIN.get(type) : null) ?? 'any'
}

const PLAIN: ReadonlyMap<string, string> = new Map([
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
])

function objectText(schema: PyDict, indent: string): string {
  const [properties, required] = [schema.get('properties'), schema.get('required')]
  const needed = new Set(isList(required) ? required : [])
  const lines = [...(isDict(properties) ? properties : [])].map(([key, value]) => {
    const name = indent + key + (needed.has(key) ? '' : '?')
    return isDict(value) ? memberText(value, name, indent) : `${name}: any,\n`
  })
  return `${described(schema, indent)}{\n${lines.join('')}${indent}}`
}

/** The lines of a property; `name` is its key, indented and marked where it may be missing. */
function memberText(schema: PyDict, name: string, indent: string): string {
  const [title, variants, description] = [schema.get('title'), schema.get('oneOf'), schema.get('description')]
  const head = typeof title === 'string' ? `${indent}// ${title}\n${indent}//\n` : ''
  const [note, examples] = [defaultOf(schema), examplesOf(schema, indent)]
  if (!isList(variants)) {
    // A value that is not a list of variants hides the rest of the property.
    const isPlain = !schema.has('oneOf')
    const type = nullable(schema, typeText(schema, `${indent}    `))
    const remark = isPlain && note !== '' ? ` // ${note}` : ''
    return `${head}${isPlain ? described(schema, indent) : ''}${examples}${name}: ${type},${remark}\n`
  }
  const saysIt = (each: PyValue | undefined): boolean =>
    typeof description === 'string' && isDict(each) && each.get('description') === description
  const about = saysIt(variants[0]) ? '' : described(schema, indent)
  const lines = variants.map((each, at) => {
    const isSaid = (at === 0 && about !== '') || saysIt(each)
    return `${indent} | ${variantText(each, indent, commentOf(each, isSaid))}\n`
  })
  const given = note === '' ? '' : `${indent}// ${note}\n`
  return `${head}${examples}${about}${given}${name}:\n${lines.join('')}${indent},\n`
}

function variantText(schema: PyValue, indent: string, comment: string): string {
  return nullable(schema, typeText(schema, `${indent}   `)) + (comment === '' ? '' : ` // ${comment}`)
}

function commentOf(schema: PyValue, isSaid = false): string {
  if (!isDict(schema)) return ''
  const description = schema.get('description')
  const said = typeof description === 'string' && !isSaid ? [description] : []
  return [...said, ...[defaultOf(schema)].filter((note) => note !== '')].join(' ')
}

function nullable(schema: PyValue, type: string): string {
  return isDict(schema) && schema.get('nullable') === true && !type.includes('null') ? `${type} | null` : type
}

/** A text has quotes, unless the property has an enum. */
function defaultOf(schema: PyDict): string {
  const [value, values] = [schema.get('default'), schema.get('enum')]
  if (value === undefined) return ''
  const hasEnum = isList(values) && values.length > 0
  if (typeof value === 'string') return `default: ${hasEnum ? value : inDoubleQuotes(value)}`
  return `default: ${valueText(value, COMPACT_JSON)}`
}

function described(schema: PyDict, indent: string): string {
  const text = schema.get('description')
  return typeof text === 'string' ? `${indent}// ${text}\n` : ''
}

function examplesOf(schema: PyDict, indent: string): string {
  const examples = schema.get('examples')
  if (!isList(examples) || examples.length === 0) return ''
  const texts = textsIn(schema, 'examples').map((each) => `${indent}// - ${inDoubleQuotes(each)}\n`)
  return `${indent}// Examples:\n${texts.join('')}`
}

function textsIn(schema: PyDict, key: string): readonly string[] {
  const values = schema.get(key)
  return isList(values) ? values.filter((each) => typeof each === 'string') : []
}

/** Quotes inside are not escaped. */
function inDoubleQuotes(text: string): string {
  return `"${text}"`
}
