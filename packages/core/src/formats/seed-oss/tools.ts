import { Refusal } from '../../conversation/conversation.ts'
import { str, strip, isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/**
 * A tool as the head of a Python function with a docstring.
 *
 * @returns nothing for a tool that is not of type `function`, as in the template
 */
export function toolText(tool: PyValue): string {
  if (!isDict(tool) || tool.get('type') !== 'function') return ''
  const inner = tool.get('function')
  const parameters = isDict(inner) ? inner.get('parameters') : null
  const properties = isDict(parameters) ? parameters.get('properties') : null
  if (!isDict(inner) || !isDict(parameters) || !isDict(properties))
    throw new Refusal('a tool has no schema with properties')
  const required = parameters.get('required') ?? null
  const needed = (key: string): string => (isList(required) && required.includes(key) ? ' [必填]' : ' [选填]')
  const head = [...properties].map(([key, schema]) => `${key}: ${typeName(schema)}`).join(',')
  const sections = [section('Args', properties, needed), section('Returns', returned(inner), () => '')]
  const description = strip(inner.has('description') ? str(inner.get('description') ?? null) : '')
  const name = str(inner.get('name') ?? '')
  return `\n\nFunction:\ndef ${name}(${head}):\n    """\n    ${description}\n\n${sections.join('\n')}\n    """`
}

function returned(inner: PyDict): PyDict {
  const returns = inner.get('returns')
  const properties = isDict(returns) ? returns.get('properties') : null
  return isDict(properties) ? properties : new Map()
}

function section(title: string, properties: PyDict, needed: (key: string) => string): string {
  if (properties.size === 0) return ''
  const lines = [...properties].map(
    ([key, schema]) => `\n    - ${key} (${typeName(schema)})${needed(key)}: ${descriptionOf(schema)}`,
  )
  return `    ${title}:${lines.join('')}`
}

function descriptionOf(schema: PyValue): string {
  const text = isDict(schema) ? schema.get('description') : null
  return truthy(text) ? str(text ?? null) : ''
}

/** Python's name of a type; `int` stands for every number. */
function typeName(schema: PyValue): string {
  const type = isDict(schema) ? schema.get('type') : null
  return (typeof type === 'string' ? TYPE_NAMES.get(type) : null) ?? 'Any'
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'str'],
  ['number', 'int'],
  ['integer', 'int'],
  ['boolean', 'bool'],
  ['array', 'list'],
])
