import { isError } from './plan.ts'
import type { ArgumentSchema, PlannedCall, Reference } from './reference.ts'
import { jsonText } from './render.ts'

/** A valid call of a tool. */
export interface ExampleCall {
  readonly call: PlannedCall
  /** Whether it is known to succeed every time with the same result. */
  readonly isSteady: boolean
}

/** Finds calls for the tools of a task, its own planned ones first: for policies that call without a plan. */
export type FindExamples = (reference: Reference) => readonly ExampleCall[]

/** Examples from the plans of the whole suite; for tools in no plan, a call that their schema allows. */
export function createExamples(references: readonly Reference[]): FindExamples {
  const known = new Map<string, { readonly call: PlannedCall; readonly results: Set<string> }>()
  for (const { plan, observations } of references) {
    plan.flat().forEach((call, at) => {
      const key = callKey(call)
      const entry = known.get(key) ?? { call, results: new Set<string>() }
      entry.results.add(observations[at] ?? '')
      known.set(key, entry)
    })
  }
  const example = (call: PlannedCall): ExampleCall => {
    const results = known.get(callKey(call))?.results ?? new Set<string>()
    return { call, isSteady: results.size === 1 && ![...results].some(isError) }
  }
  const byTool = new Map<string, PlannedCall[]>()
  for (const { call } of known.values()) byTool.set(call.name, [...(byTool.get(call.name) ?? []), call])
  return ({ plan, tools, schemas }) => {
    const calls = [
      ...plan.flat(),
      ...tools.flatMap((tool) => {
        return byTool.get(tool) ?? [{ name: tool, args: exampleArguments(schemas.get(tool) ?? {}) }]
      }),
    ]
    return [...new Map(calls.map((call) => [callKey(call), call])).values()].map(example)
  }
}

function callKey({ name, args }: PlannedCall): string {
  return jsonText([name, args])
}

function exampleArguments(schema: ArgumentSchema): Readonly<Record<string, unknown>> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, ArgumentSchema>>
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.fromEntries(required.map((name) => [String(name), exampleValue(properties[String(name)] ?? {})]))
}

function exampleValue(schema: ArgumentSchema): unknown {
  const choices = schema['enum']
  if (Array.isArray(choices) && choices.length > 0) return choices[0] as unknown
  switch (schema['type']) {
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return exampleArguments(schema)
    default:
      return 'example'
  }
}
