import { misfit } from './fits.ts'
import { isSchema } from './schema-values.ts'

/** A tool as a request has it, wrapped in `{"type": "function", "function": …}` or bare. */
export type GrammarTool = { readonly name: string; readonly parameters: unknown }

export type SampleCall = { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }

/** What a model may want to say: text and calls, after a thought or not. */
export type SampleReply = {
  /** What is special about it. */
  readonly id: string
  readonly thought: string | null
  readonly text: string | null
  readonly calls: readonly SampleCall[]
}

/** Reads the tools of a request: a list of them. Null with a reason if it is not one. */
export function readTools(value: unknown): readonly GrammarTool[] | null {
  if (!Array.isArray(value)) return null
  const tools = value.map((one: unknown) => {
    const wrapped = isSchema(one) && isSchema(one['function']) ? one['function'] : one
    if (!isSchema(wrapped) || typeof wrapped['name'] !== 'string') return null
    return { name: wrapped['name'], parameters: wrapped['parameters'] ?? wrapped['inputSchema'] ?? { type: 'object' } }
  })
  return tools.every((tool) => tool !== null) ? tools : null
}

const TEXTS = [
  'Oslo',
  '',
  'Zürich 東京 🌧',
  'a "b" \\ c',
  'a\nb',
  ' a ',
  'a < b & c > d',
  "it's",
  '5',
  'true',
  '</x> <y>',
]
const MAX_DEPTH = 6

/** Replies with calls that fit the schemas: every type and kind of value, one to three calls, text, a thought. */
export function sampleReplies(
  tools: readonly GrammarTool[],
  wants: { readonly thoughts: boolean; readonly several: boolean; readonly prose: boolean },
): readonly SampleReply[] {
  const plain = (id: string, ...calls: readonly SampleCall[]): SampleReply => ({ id, thought: null, text: null, calls })
  const replies = tools.flatMap((tool) => callsOfTool(tool).map(({ id, call }) => plain(id, call)))
  const [first] = replies.flatMap(({ calls }) => calls)
  if (!first) return replies
  const last = replies.at(-1)?.calls[0] ?? first
  if (wants.several)
    replies.push(
      plain('two calls', first, first),
      plain('two calls, of two tools', first, last),
      plain('three calls', first, last, first),
    )
  if (wants.prose) {
    replies.push({ ...plain('text before a call', first), text: 'I will look.' })
    replies.push({ ...plain('no call'), text: 'Hello.' })
  }
  const thinking = wants.thoughts
    ? replies.map((reply) => ({ ...reply, id: `${reply.id}, after a thought`, thought: 'Hm.' }))
    : []
  return wants.thoughts ? thinking : replies
}

function callsOfTool({ name, parameters }: GrammarTool): readonly { id: string; call: SampleCall }[] {
  const schema = isSchema(parameters) ? parameters : {}
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : []
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
  const needed = properties.filter(([key]) => required.includes(key))
  const simple = (entries: typeof properties): Record<string, unknown> =>
    Object.fromEntries(
      entries.flatMap(([key, one]) =>
        valuesOf(one, parameters, 0)
          .slice(0, 1)
          .map((value) => [key, value]),
      ),
    )
  const found = [{ id: needed.length === 0 ? 'no arguments' : 'required arguments', given: simple(needed) }]
  if (properties.length > needed.length) found.push({ id: 'all arguments', given: simple(properties) })
  for (const [key, one] of properties)
    for (const value of valuesOf(one, parameters, 0).slice(1))
      found.push({ id: `${key}: ${kindOf(value)}`, given: ordered(properties, { ...simple(needed), [key]: value }) })
  const other = schema['additionalProperties']
  if (other === true || isSchema(other))
    for (const value of valuesOf(other, parameters, 0).slice(0, 1))
      found.push({ id: 'an argument that is not declared', given: { ...simple(needed), extra: value } })
  return found
    .filter(({ given }) => misfit(given, parameters) === null)
    .map(({ id, given }) => ({ id: `${name}, ${id}`, call: { name, arguments: given } }))
}

function ordered(
  properties: readonly (readonly [string, unknown])[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(properties.filter(([key]) => Object.hasOwn(given, key)).map(([key]) => [key, given[key]]))
}

function kindOf(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

/** Values that fit a schema, the plainest first. */
function valuesOf(schema: unknown, root: unknown, depth: number): readonly unknown[] {
  if (depth > MAX_DEPTH) return []
  const fitting = (values: readonly unknown[]): readonly unknown[] =>
    values.filter((value) => misfit(value, schema, root) === null)
  if (!isSchema(schema)) return schema === false ? [] : ['a', 2, true, null, ['x'], { k: 1 }]
  if ('const' in schema) return [schema['const']]
  if (Array.isArray(schema['enum'])) return schema['enum'] as unknown[]
  if (typeof schema['$ref'] === 'string') return fitting(['a', 1, true, null, [], {}])
  const several = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as unknown[] | undefined
  if (several) return several.flatMap((one) => valuesOf(one, root, depth + 1).slice(0, 3))
  const types = Array.isArray(schema['type']) ? (schema['type'] as unknown[]) : [schema['type']]
  return fitting(types.flatMap((type) => typedValues(schema, root, { type, depth })))
}

function typedValues(
  schema: Readonly<Record<string, unknown>>,
  root: unknown,
  { type, depth }: { type: unknown; depth: number },
): readonly unknown[] {
  switch (type) {
    case 'string':
      return [...TEXTS, '2026-01-31', 'a@example.org', 'abc', 'A1'].slice(
        0,
        schema['pattern'] || schema['format'] ? 15 : TEXTS.length,
      )
    case 'integer':
      return [2, 0, -3, schema['minimum'], schema['maximum']].filter((value) => typeof value === 'number')
    case 'number':
      return [1.5, 2, 0, -0.25, schema['minimum'], schema['maximum']].filter((value) => typeof value === 'number')
    case 'boolean':
      return [true, false]
    case 'null':
      return [null]
    case 'array': {
      const entries = valuesOf(schema['items'] ?? true, root, depth + 1)
      return [entries.slice(0, 1), [], entries.slice(0, 3)]
    }
    case 'object': {
      const calls = callsOfTool({ name: '', parameters: schema }).slice(0, 4)
      return calls.map(({ call }) => call.arguments)
    }
    default:
      return ['a', 2, true, null, ['x'], { k: 1 }]
  }
}
