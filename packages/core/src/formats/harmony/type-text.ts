import { shownValue, textOfShown } from '../../conversation/shown-value.ts'
import type { ValueNotation } from '../../conversation/shown-value.ts'
import { dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** A JSON schema as the library writes it in TypeScript. Members of nested objects are indented by four blanks a level. */
export function typeText(schema: PyValue, indent = ''): string {
  if (!isDict(schema)) return 'any'
  const [type, variants] = [schema.get('type'), schema.get('oneOf')]
  if (isList(variants))
    return variants.map((each) => `\n${indent} | ${variantText(each, indent, commentOf(each))}`).join('')
  const names = textsIn(schema, 'type').map((each) => (each === 'integer' ? 'number' : each))
  if (names.length > 0) return names.join(' | ')
  if (type === 'object') return objectText(schema, indent)
  if (type === 'string') return textsIn(schema, 'enum').map(quoted).join(' | ') || 'string'
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
    // What is no list of variants hides what else is said of the property.
    const isPlain = !schema.has('oneOf')
    const type = nullable(schema, typeText(schema, `${indent}    `))
    const behind = isPlain && note !== '' ? ` // ${note}` : ''
    return `${head}${isPlain ? described(schema, indent) : ''}${examples}${name}: ${type},${behind}\n`
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

/** A text stands in quotes, unless the property has an enum. */
function defaultOf(schema: PyDict): string {
  const [value, values] = [schema.get('default'), schema.get('enum')]
  if (value === undefined) return ''
  const hasEnum = isList(values) && values.length > 0
  if (typeof value === 'string') return `default: ${hasEnum ? value : quoted(value)}`
  return `default: ${textOfShown(shownValue(value, COMPACT))}`
}

/** JSON without blanks. */
const COMPACT: ValueNotation = {
  words: { null: 'null', true: 'true', false: 'false' },
  string: dumps,
  key: dumps,
  comma: ',',
  colon: ':',
}

function described(schema: PyDict, indent: string): string {
  const text = schema.get('description')
  return typeof text === 'string' ? `${indent}// ${text}\n` : ''
}

function examplesOf(schema: PyDict, indent: string): string {
  const examples = schema.get('examples')
  if (!isList(examples) || examples.length === 0) return ''
  const texts = textsIn(schema, 'examples').map((each) => `${indent}// - ${quoted(each)}\n`)
  return `${indent}// Examples:\n${texts.join('')}`
}

function textsIn(schema: PyDict, key: string): readonly string[] {
  const values = schema.get(key)
  return isList(values) ? values.filter((each) => typeof each === 'string') : []
}

/** Quotes inside are not escaped. */
function quoted(text: string): string {
  return `"${text}"`
}
