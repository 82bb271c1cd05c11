import type { Format } from '@callspec/core'
import { fromPlain, isDict, isList, loads, Raise } from '@callspec/python'
import type { PyDict, PyList, PyValue } from '@callspec/python'

import { toolsNamedIn, wireTools } from '../chat-request.ts'

/**
 * The tools of the case; else those that its text calls, because engines look for calls only where tools are. Of these the
 * arguments of the text are declared with their types: parsers that read by a schema know no others.
 */
export function toolsFor(
  input: PyDict,
  { text, format }: { readonly text: string; readonly format: Format | null },
): PyList {
  const given = input.get('tools')
  if (isList(given) && given.length > 0) return wireTools(given.filter(isDict))
  const read = (format?.read(text).items ?? []).flatMap((item) => (item.kind === 'call' ? [item] : []))
  const called = [...toolsNamedIn(text).map(nameOf), ...read.map(({ name }) => name)]
  const names = [...new Set(called)].filter((name) => typeof name === 'string' && name !== '')
  return names.map((name) => {
    const own = read.filter((call) => call.name === name).map((call) => propertiesOf(call.arguments))
    return toolOf(String(name), new Map(own.flatMap((properties) => [...properties])))
  })
}

function toolOf(name: string, properties: PyDict): PyDict {
  const parameters: PyDict = new Map<string, PyValue>([
    ['type', 'object'],
    ['properties', properties],
    ['additionalProperties', true],
  ])
  const made = new Map<string, PyValue>([
    ['name', name],
    ['description', name],
    ['parameters', parameters],
  ])
  return new Map<string, PyValue>([
    ['type', 'function'],
    ['function', made],
  ])
}

/** A schema by each value; none of what is no map. */
function propertiesOf(json: string): PyDict {
  const value = valueOf(json)
  if (!isDict(value)) return new Map()
  return new Map([...value].map(([key, each]) => [key, fromPlain(schemaOf(each))]))
}

function schemaOf(value: PyValue): Readonly<Record<string, string>> {
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (typeof value === 'bigint') return { type: 'integer' }
  if (typeof value === 'string') return { type: 'string' }
  if (isList(value)) return { type: 'array' }
  if (isDict(value)) return { type: 'object' }
  return value === null ? {} : { type: 'number' }
}

function valueOf(json: string): PyValue {
  try {
    return loads(json)
  } catch (error) {
    if (error instanceof Raise) return null
    throw error
  }
}

function nameOf(tool: PyValue): PyValue {
  const made = isDict(tool) ? tool.get('function') : null
  return isDict(made) ? (made.get('name') ?? null) : null
}
