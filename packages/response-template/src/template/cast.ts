import { Raise, isDict, isList, loads, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { readFloat, readInt } from './numbers.ts'

/** Whose copy of the code reads: they differ where a value is malformed, and in the types of arguments (spec §7, §6). */
export type TemplateReader = 'transformers' | 'vllm'

/** Schemas of parameters by tool and by name of the parameter. */
export type ToolSchemas = ReadonlyMap<string, PyDict>

/** The schemas of the parameters of tools: of `{type, function}` or of the function alone. */
export function toolSchemas(tools: PyValue): ToolSchemas {
  const schemas = new Map<string, PyDict>()
  if (!isList(tools)) return schemas
  for (const tool of tools) {
    if (!isDict(tool)) continue
    const inner = tool.get('function') ?? null
    const declared = isDict(inner) ? inner : tool
    const name = declared.get('name') ?? null
    const parameters = declared.get('parameters') ?? null
    const properties = isDict(parameters) ? (parameters.get('properties') ?? null) : null
    if (typeof name === 'string' && isDict(properties)) schemas.set(name, properties)
  }
  return schemas
}

/** A closed value with the texts of its arguments typed by the schemas of the tools (spec §6). */
export function typedCalls(value: PyValue, schemas: ToolSchemas, reader: TemplateReader): PyValue {
  if (schemas.size === 0) return value
  return isList(value) ? value.map((item) => typedCall(item, schemas, reader)) : typedCall(value, schemas, reader)
}

function typedCall(value: PyValue, schemas: ToolSchemas, reader: TemplateReader): PyValue {
  if (!isDict(value)) return value
  const called = value.get('function') ?? null
  if (!isDict(called)) return value
  const name = called.get('name') ?? null
  const given = called.get('arguments') ?? null
  const properties = typeof name === 'string' ? schemas.get(name) : undefined
  if (properties === undefined || !isDict(given)) return value
  const typed = new Map(
    Array.from(given, ([key, argument]) => {
      const schema = properties.get(key) ?? null
      return [key, isDict(schema) ? castValue(argument, schema, reader) : argument] as const
    }),
  )
  return new Map([...value, ['function', new Map([...called, ['arguments', typed]])]])
}

/** A text, or a list with texts, as the first type of a schema that it spells; anything else as it is. */
export function castValue(value: PyValue, schema: PyDict, reader: TemplateReader = 'transformers'): PyValue {
  const types = candidateTypes(schema, reader, 0)
  if (types.length === 0) return value
  if (typeof value === 'string') return castText(value, types)
  if (!isList(value) || (reader === 'vllm' && types.includes('array'))) return value
  return value.map((item) => (typeof item === 'string' ? castText(item, types) : item))
}

/** Deeper alternatives than this are left out. */
const MAX_ALTERNATIVES = 50

function candidateTypes(schema: PyDict, reader: TemplateReader, depth: number): readonly string[] {
  if (depth > MAX_ALTERNATIVES) return []
  const type = schema.get('type') ?? null
  const own = typeof type === 'string' ? [type] : isList(type) ? type.filter((one) => typeof one === 'string') : []
  const keys = reader === 'vllm' ? ['anyOf', 'oneOf'] : ['anyOf']
  const alternatives = keys.flatMap((key) => {
    const list = schema.get(key) ?? null
    return isList(list) ? list.flatMap((one) => (isDict(one) ? candidateTypes(one, reader, depth + 1) : [])) : []
  })
  return [...own, ...alternatives, ...(truthy(schema.get('nullable')) ? ['null'] : [])]
}

function castText(text: string, types: readonly string[]): PyValue {
  for (const type of types) {
    const value = castAs(text, type)
    if (value !== undefined) return value
  }
  return text
}

function castAs(text: string, type: string): PyValue | undefined {
  switch (type) {
    case 'integer': {
      const value = readInt(text)
      return typeof value === 'bigint' ? value : undefined
    }
    case 'number': {
      const value = readFloat(text)
      if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
      return Number.isInteger(value) && !text.includes('.') ? BigInt(value) : value
    }
    case 'boolean': {
      const word = strip(text).toLowerCase()
      if (word === 'true' || word === '1') return true
      return word === 'false' || word === '0' ? false : undefined
    }
    case 'null':
      return ['null', 'None'].includes(strip(text)) ? null : undefined
    case 'object':
      return readJson(text, isDict)
    case 'array':
      return readJson(text, isList)
    default:
      return undefined
  }
}

function readJson(text: string, isWanted: (value: PyValue) => boolean): PyValue | undefined {
  try {
    const value = loads(text)
    return isWanted(value) ? value : undefined
  } catch (error) {
    if (error instanceof Raise) return undefined
    throw error
  }
}
