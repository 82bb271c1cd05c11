import { dumps, isDict, isList, str, truthy } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { Refusal } from '../../conversation/conversation.ts'

/** The tools as declarations of TypeScript, as the template of Apertus prints them, with its white space. */
export function toolTypes(tools: readonly PyValue[]): string {
  return tools.map(toolType).join('\n')
}

function toolType(tool: PyValue): string {
  const inner = memberOf(tool, 'function')
  const [description, name] = [memberOf(inner, 'description'), memberOf(inner, 'name')]
  if (typeof description !== 'string' || typeof name !== 'string')
    throw new Refusal('a tool needs a name and a description: this template takes no other')
  const parameters = memberOf(inner, 'parameters')
  const properties = truthy(parameters) ? memberOf(parameters, 'properties') : null
  const head = `// ${description}\ntype ${name} = `
  if (!truthy(properties)) return `${head}() => any;`
  if (!isDict(properties)) throw new Refusal('the properties of a schema are no object')
  const required = requiredIn(parameters)
  const members = [...properties].map(([key, value]) => parameter({ key, value, required }))
  return `${head}(_: {\n${members.join(',\n')}\n}) => any;`
}

interface Parameter {
  readonly key: string
  readonly value: PyValue
  readonly required: readonly PyValue[]
}

function parameter({ key, value, required }: Parameter): string {
  const about = memberOf(value, 'description')
  const comment = truthy(about) ? `// ${textIn(about)}\n` : ''
  return `${comment}${key}${required.includes(key) ? '' : '?'}: ${typeOf(value)}${presetOf(value)}`
}

/** The default value, as a comment: JSON, but a text as it is where the schema lists values or alternatives. */
function presetOf(value: PyValue): string {
  if (!isDict(value) || !value.has('default')) return ''
  const preset = value.get('default') ?? null
  if (truthy(value.get('enum'))) return `, // default: ${textIn(preset)}`
  if (truthy(value.get('oneOf'))) return `// default: ${textIn(preset)}`
  return `, // default: ${dumps(preset)}`
}

/** The type of a schema. What is no object is of any type. */
function typeOf(schema: PyValue): string {
  const type = memberOf(schema, 'type')
  const orNull = truthy(memberOf(schema, 'nullable')) ? ' | null' : ''
  if (type === 'array') return listType(schema, orNull)
  if (isList(type) && type.length > 0) return type.map((each) => str(each)).join(' | ')
  const variants = memberOf(schema, 'oneOf')
  if (truthy(variants)) return alternatives(variants)
  switch (type) {
    case 'string': {
      const values = memberOf(schema, 'enum')
      return truthy(values)
        ? `"${valuesIn(values)
            .map((each) => str(each))
            .join('" | "')}"`
        : `string${orNull}`
    }
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'object':
      return objectType(schema)
    default:
      return 'any'
  }
}

const SIMPLE: ReadonlyMap<PyValue, string> = new Map<PyValue, string>([
  ['string', 'string[]'],
  ['number', 'number[]'],
  ['integer', 'number[]'],
  ['boolean', 'boolean[]'],
])

function listType(schema: PyValue, orNull: string): string {
  const items = memberOf(schema, 'items')
  // Where a schema has no items, the template finds the method of that name of the map, which is of any type.
  if (!truthy(items)) return `any[]${orNull}`
  const simple = SIMPLE.get(memberOf(items, 'type'))
  if (simple !== undefined) return simple + orNull
  const inner = typeOf(items)
  // Python counts characters, not UTF-16 units.
  return (inner === 'object | object' || [...inner].length > 50 ? 'any[]' : `${inner}[]`) + orNull
}

/** With the line feeds and blanks that the template leaves between them. */
function alternatives(variants: PyValue): string {
  return valuesIn(variants)
    .map((variant) => {
      const about = memberOf(variant, 'description')
      const preset = isDict(variant) && variant.has('default') ? variant.get('default') : undefined
      const shown = preset === undefined ? '' : `${' '.repeat(20)}// default: ${dumps(preset)}`
      return typeOf(variant) + (truthy(about) ? `// ${textIn(about)}` : '') + shown
    })
    .join(' | \n')
}

function objectType(schema: PyValue): string {
  const properties = memberOf(schema, 'properties')
  if (!truthy(properties)) return 'object'
  if (!isDict(properties)) throw new Refusal('the properties of a schema are no object')
  const required = requiredIn(schema)
  const members = [...properties].map(
    ([key, value]) => `${key}${required.includes(key) ? '' : '?'}: \n${' '.repeat(16)}${typeOf(value)}`,
  )
  return `{\n${members.join(', ')}}`
}

function requiredIn(schema: PyValue): readonly PyValue[] {
  const required = memberOf(schema, 'required')
  return truthy(required) ? valuesIn(required) : []
}

/** A member of what should be a map; null for another value, and without the member. */
function memberOf(value: PyValue, key: string): PyValue {
  return isDict(value) ? (value.get(key) ?? null) : null
}

function valuesIn(value: PyValue): readonly PyValue[] {
  if (isList(value)) return value
  throw new Refusal('a list in a schema of a tool is no list')
}

function textIn(value: PyValue): string {
  if (typeof value === 'string') return value
  throw new Refusal('a description or default in a schema of a tool is not a text')
}
