import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** The schema of a parameter, and that of all parameters of its tool. */
export type Schemas = (tool: string, key: string) => { readonly schema: PyValue; readonly root: PyDict | null }

/** The schemas of tools, bare or wrapped as `{type: "function", function: …}`. */
export function schemasOf(tools: readonly PyValue[]): Schemas {
  const known = new Map<string, PyDict>()
  for (const tool of tools) {
    const bare = toolOf(tool)
    const name = bare?.get('name')
    const parameters = bare?.get('parameters')
    if (typeof name === 'string' && isDict(parameters)) known.set(name, parameters)
  }
  return (tool, key) => {
    const root = known.get(tool) ?? null
    const properties = root?.get('properties')
    return { schema: (isDict(properties) ? properties.get(key) : null) ?? null, root }
  }
}

/** A tool without its wrapper; null for what is none. */
export function toolOf(tool: PyValue): PyDict | null {
  if (!isDict(tool)) return null
  const inner = tool.get('function')
  return isDict(inner) ? inner : tool
}

/** The types that a schema allows, in the order in which it names them; empty where it says nothing. */
export function typesOf(schema: PyValue, root: PyDict | null, depth = 0): readonly string[] {
  if (!isDict(schema) || depth > MAX_REFERENCES) return []
  const type = schema.get('type')
  if (typeof type === 'string') return [type]
  if (isList(type)) return type.filter((each) => typeof each === 'string')
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const options = schema.get(key)
    if (isList(options)) return unique(options.flatMap((each) => typesOf(each, root, depth + 1)))
  }
  const values = schema.get('enum')
  if (isList(values)) return unique(values.map(typeOfValue))
  if (schema.has('const')) return [typeOfValue(schema.get('const') ?? null)]
  if (schema.has('properties')) return ['object']
  if (schema.has('items')) return ['array']
  const reference = schema.get('$ref')
  return typeof reference === 'string' ? typesOf(targetOf(reference, root), root, depth + 1) : []
}

/** Schemas may point at themselves. */
const MAX_REFERENCES = 32

function targetOf(reference: string, root: PyDict | null): PyValue {
  if (!reference.startsWith('#/')) return null
  let value: PyValue | undefined = root
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = isDict(value) ? value.get(key) : undefined
  }
  return value ?? null
}

function typeOfValue(value: PyValue): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'number'
  return isList(value) ? 'array' : 'object'
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}
