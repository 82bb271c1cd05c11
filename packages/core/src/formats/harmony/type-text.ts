import { dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** A JSON schema as the library writes it in TypeScript. Members of nested objects are indented by four blanks a level. */
export function typeText(schema: PyValue, indent = ''): string {
  if (!isDict(schema)) return 'any'
  const variants = schema.get('oneOf')
  if (isList(variants))
    return variants.map((each) => `\n${indent} | ${variantText(each, indent, commentOf(each))}`).join('')
  const type = schema.get('type')
  if (isList(type)) {
    const names = type.filter((each) => typeof each === 'string')
    if (names.length > 0) return names.map((each) => (each === 'integer' ? 'number' : each)).join(' | ')
  }
  switch (type) {
    case 'object':
      return objectText(schema, indent)
    case 'string':
      return enumOf(schema).map(quoted).join(' | ') || 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return schema.has('items') ? `${typeText(schema.get('items') ?? null, indent)}[]` : 'Array<any>'
    default:
      return 'any'
  }
}

function objectText(schema: PyDict, indent: string): string {
  const [properties, required] = [schema.get('properties'), schema.get('required')]
  const needed = new Set(isList(required) ? required : [])
  const members = isDict(properties) ? [...properties] : []
  const lines = members.map(([key, value]) => {
    const name = indent + key + (needed.has(key) ? '' : '?')
    return isDict(value) ? memberText(value, name, indent) : `${name}: any,\n`
  })
  return `${described(schema, indent)}{\n${lines.join('')}${indent}}`
}

/** The lines of a property; `name` is its key, indented and marked where it may be missing. */
function memberText(schema: PyDict, name: string, indent: string): string {
  const [title, variants] = [schema.get('title'), schema.get('oneOf')]
  const head = typeof title === 'string' ? `${indent}// ${title}\n${indent}//\n` : ''
  const note = defaultOf(schema)
  if (!isList(variants)) {
    const about = schema.has('oneOf') ? '' : described(schema, indent)
    const type = `${name}: ${nullable(schema, typeText(schema, `${indent}    `))},`
    return `${head}${about}${examplesOf(schema, indent)}${type}${schema.has('oneOf') || note === '' ? '' : ` // ${note}`}\n`
  }
  const description = schema.get('description')
  const first = variants[0]
  const isSaidBelow = typeof description === 'string' && isDict(first) && first.get('description') === description
  const about = isSaidBelow ? '' : described(schema, indent)
  const lines = variants.map((each, at) => {
    const isSaid = (at === 0 && about !== '') || (isDict(each) && each.get('description') === description)
    return `${indent} | ${variantText(each, indent, commentOf(each, isSaid))}\n`
  })
  const given = note === '' ? '' : `${indent}// ${note}\n`
  return `${head}${examplesOf(schema, indent)}${about}${given}${name}:\n${lines.join('')}${indent},\n`
}

function variantText(schema: PyValue, indent: string, comment: string): string {
  return nullable(schema, typeText(schema, `${indent}   `)) + (comment === '' ? '' : ` // ${comment}`)
}

function commentOf(schema: PyValue, isSaid = false): string {
  if (!isDict(schema)) return ''
  const description = schema.get('description')
  const said = typeof description === 'string' && !isSaid ? [description] : []
  const note = defaultOf(schema)
  return [...said, ...(note === '' ? [] : [note])].join(' ')
}

function nullable(schema: PyValue, type: string): string {
  return isDict(schema) && schema.get('nullable') === true && !type.includes('null') ? `${type} | null` : type
}

/** A text stands in quotes, unless the property has an enum. */
function defaultOf(schema: PyDict): string {
  const value = schema.get('default')
  if (value === undefined) return ''
  const hasEnum = isList(schema.get('enum')) && (schema.get('enum') as readonly PyValue[]).length > 0
  if (typeof value === 'string') return `default: ${hasEnum ? value : quoted(value)}`
  return `default: ${compact(value)}`
}

function described(schema: PyDict, indent: string): string {
  const text = schema.get('description')
  return typeof text === 'string' ? `${indent}// ${text}\n` : ''
}

function examplesOf(schema: PyDict, indent: string): string {
  const examples = schema.get('examples')
  if (!isList(examples) || examples.length === 0) return ''
  const texts = examples.filter((each) => typeof each === 'string').map((each) => `${indent}// - ${quoted(each)}\n`)
  return `${indent}// Examples:\n${texts.join('')}`
}

function enumOf(schema: PyDict): readonly string[] {
  const values = schema.get('enum')
  return isList(values) ? values.filter((each) => typeof each === 'string') : []
}

/** Quotes inside are not escaped. */
function quoted(text: string): string {
  return `"${text}"`
}

/** JSON without blanks. */
function compact(value: PyValue): string {
  if (isList(value)) return `[${value.map(compact).join(',')}]`
  if (!isDict(value)) return dumps(value)
  return `{${[...value].map(([key, each]) => `${dumps(key)}:${compact(each)}`).join(',')}}`
}
