import type { Culprit, EndLabel, ForgedTruth, TurnLabel } from '@callspec/labels'
import type { Expectation, FaultyReply } from './fault.ts'
import type { Move, Position, Reference, ArgumentSchema, PlannedCall } from './reference.ts'
import { isError } from './reference.ts'
import type { SimFormat } from './spoken-formats.ts'
import type { Part } from './speak/speaker.ts'
import { jsonText } from './render.ts'

/** What a policy sees of an episode. */
export interface PolicyContext {
  readonly format: SimFormat
  readonly reference: Reference
  readonly part: Part
  readonly results: readonly string[]
  readonly position: Position
  /** What the plan does here. */
  readonly planned: Move
  /** The number in brackets after the policy's name. */
  readonly argument: number
  readonly examples: FindExamples
}

/**
 * What a policy does in one step, with the labels of the turn, written down by hand: what the plan does, a move of its
 * own, or words of its own.
 */
export type PolicyAct =
  | { readonly kind: 'as-planned' }
  | {
      readonly kind: 'move'
      readonly move: Move
      readonly label: TurnLabel | null
      readonly end: EndLabel | null
      /** Whether it is the correct answer to the task. */
      readonly isRight?: boolean
      /** The culprit other than the model, if this turn is its last. Default: none. */
      readonly blames?: Culprit
      readonly forged?: ForgedTruth
    }
  | {
      readonly kind: 'words'
      readonly reply: FaultyReply
      readonly expect: Expectation
      /** What the episode did with the forged text, if this turn is its last. */
      readonly forged?: ForgedTruth
    }

/** A way to behave over a whole episode. */
export interface Policy {
  readonly id: string
  readonly about: string
  /** What the number in brackets may be; absent: it takes none. */
  readonly argument?: { readonly min: number; readonly max: number; readonly byDefault: number }
  /** Null where task or format give the policy nothing to do; asked of an episode's first step, that means never. */
  act(context: PolicyContext): PolicyAct | null
}

/** The plan's next step, undisturbed. */
export const AS_PLANNED: PolicyAct = { kind: 'as-planned' }

/** Calls that are correct as such, in an episode that ends as given. */
export function loops(calls: Extract<Move, { kind: 'calls' }>['calls'], end: EndLabel | null): PolicyAct {
  return { kind: 'move', move: { kind: 'calls', calls }, label: 'well_formed', end }
}

/** An answer in the format's form. */
export function answers(
  text: string,
  truth: Pick<Extract<PolicyAct, { kind: 'move' }>, 'isRight' | 'blames'> = {},
): Extract<PolicyAct, { kind: 'move' }> {
  return { kind: 'move', move: { kind: 'final', text }, label: null, end: null, ...truth }
}

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
