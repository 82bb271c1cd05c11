import { dumps, isDict, isList, str, strip } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { Refusal } from '../conversation/conversation.ts'
import { toolOf } from '../grammar/values.ts'

/** How a template lists the members of schemas: in their own order, or with `enum` and `required` at places of their own. */
export type MemberOrder = 'own' | 'enum-first'

/**
 * A tool as the templates of Qwen3-Coder, Nemotron 3 and MiMo show it: in tags, with a line for each member.
 *
 * @throws Refusal for a tool that is no object
 */
export function tagTool(given: PyValue, order: MemberOrder = 'own'): string {
  const tool = toolOf(given)
  if (tool === null) throw new Refusal('a tool is no object')
  const schema = tool.get('parameters') ?? null
  const lines = [`\n<function>\n<name>${str(tool.get('name') ?? '')}</name>`, description(tool), '\n<parameters>']
  if (isDict(schema)) {
    const properties = schema.get('properties') ?? null
    if (isDict(properties)) for (const [name, each] of properties) lines.push(parameterText(name, each, order))
    const own = order === 'own' ? [] : ['required']
    lines.push(furtherMembers(schema, ['type', 'properties', ...own]), ...own.map((key) => jsonMember(schema, key)))
  }
  lines.push('\n</parameters>', furtherMembers(tool, ['type', 'name', 'description', 'parameters']), '\n</function>')
  return lines.join('')
}

function parameterText(name: string, schema: PyValue, order: MemberOrder): string {
  const members = isDict(schema) ? schema : new Map<string, PyValue>()
  const type = members.has('type') ? `\n<type>${str(members.get('type') ?? null)}</type>` : ''
  const own = order === 'own' ? [] : ['enum']
  const listed = own.map((key) => jsonMember(members, key)).join('')
  const rest = furtherMembers(members, ['name', 'type', 'description', ...own])
  return `\n<parameter>\n<name>${name}</name>${type}${description(members)}${listed}${rest}\n</parameter>`
}

function description(members: PyDict): string {
  return members.has('description')
    ? `\n<description>${strip(str(members.get('description') ?? null))}</description>`
    : ''
}

function jsonMember(members: PyDict, key: string): string {
  return members.has(key) ? `\n<${key}>${dumps(members.get(key) ?? null)}</${key}>` : ''
}

/** Maps and lists as JSON, everything else as `str` prints it. */
function furtherMembers(members: PyDict, known: readonly string[]): string {
  return [...members]
    .filter(([key]) => !known.includes(key))
    .map(([key, value]) => `\n<${key}>${isDict(value) || isList(value) ? dumps(value) : str(value)}</${key}>`)
    .join('')
}
