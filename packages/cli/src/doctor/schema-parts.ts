import type { PartPath, ProbedTool } from '@callspec/eval/doctor'

type Schema = Readonly<Record<string, unknown>>

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const SCHEMA_IN: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
])
const SCHEMAS_IN: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const NAMED_IN: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions'])

/** Types and names of properties are in every schema, and no call depends on the others: what is examined are all further keywords. */
const NOT_EXAMINED: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'items', 'title', '$schema', '$id', '$comment'],
])

/** The places of each keyword in a schema. A property that has the name of a keyword is not one. */
export function keywordParts(parameters: unknown): ReadonlyMap<string, readonly PartPath[]> {
  const found = new Map<string, PartPath[]>()
  const open: { readonly schema: unknown; readonly path: PartPath }[] = [{ schema: parameters, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema, path } = next
    if (!isSchema(schema)) continue
    for (const [key, value] of Object.entries(schema)) {
      const at = [...path, key]
      const name = key === 'type' && Array.isArray(value) ? 'list of types' : key
      if (!NOT_EXAMINED.has(name)) {
        const places = found.get(name) ?? []
        places.push(at)
        found.set(name, places)
      }
      if (SCHEMA_IN.has(key)) open.push({ schema: value, path: at })
      else if (SCHEMAS_IN.has(key) && Array.isArray(value))
        value.forEach((one: unknown, index) => open.push({ schema: one, path: [...at, index] }))
      else if (NAMED_IN.has(key) && isSchema(value))
        for (const [property, one] of Object.entries(value)) open.push({ schema: one, path: [...at, property] })
    }
  }
  return found
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The tool without these parts of its schema. */
export function withoutParts(tool: ProbedTool, parts: readonly PartPath[]): ProbedTool {
  const parameters = structuredClone(tool.parameters)
  for (const path of parts) {
    const owner = valueAt(parameters, path.slice(0, -1))
    if (typeof owner === 'object' && owner !== null) Reflect.deleteProperty(owner, path.at(-1) ?? '')
  }
  return parameters === undefined ? tool : { ...tool, parameters }
}

function valueAt(value: unknown, path: PartPath): unknown {
  let found = value
  for (const key of path)
    found =
      typeof found === 'object' && found !== null
        ? (found as Readonly<Record<string | number, unknown>>)[key]
        : undefined
  return found
}

/** Each is searched for in a whole prompt. */
const MOST_VALUES = 40
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** The values in the parts: texts, numbers and names of properties. A template may spell types and flags of inner schemas in its own way. */
export function partValues(tool: ProbedTool, parts: readonly PartPath[]): readonly string[] {
  const values = new Set<string>()
  for (const path of parts) {
    const value = valueAt(tool.parameters, path)
    if (NAMED_IN.has(String(path.at(-1))) && isSchema(value)) for (const name of Object.keys(value)) values.add(name)
    const isOuter = !isSchema(value) && !(Array.isArray(value) && value.some(isSchema))
    const open: unknown[] = [value]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (Array.isArray(next)) open.push(...(next as unknown[]))
      else if (isSchema(next))
        for (const [key, one] of Object.entries(next)) {
          if (NAMED_IN.has(key) && isSchema(one)) for (const name of Object.keys(one)) values.add(name)
          open.push(one)
        }
      else if (typeof next === 'string' || typeof next === 'number') {
        if (isOuter || !TYPES.has(next)) values.add(String(next))
      } else if (isOuter && typeof next === 'boolean') values.add(String(next))
    }
  }
  return [...values].slice(0, MOST_VALUES)
}
