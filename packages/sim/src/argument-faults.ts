import { pick } from './draw.ts'
import type { Expectation, Fault, FaultyTurn, FaultyReply } from './fault.ts'
import { everywhere, expecting, spokenIn, withLastCall } from './fault.ts'
import type { PlannedCall } from './reference.ts'
import { jsonText } from './render.ts'

const DOUBLE_ENCODED: Expectation = { strict: 'double_encoded', lenient: 'recovered', end: null }
const NOT_OFFERED: Expectation = { strict: 'hallucinated_tool', lenient: 'hallucinated_tool', end: null }

/** Faults in the content of a call: the wrong tool, wrong arguments. */
export const ARGUMENT_FAULTS: readonly Fault[] = [
  {
    id: 'F19',
    name: 'double_encoded',
    kind: 'arguments',
    looks: '"arguments": "{\\"a\\": 1}"',
    // Native arguments are always a text; here it is a text within the text.
    expect: expecting(spokenIn('tagged', 'stated', 'native'), DOUBLE_ENCODED),
    inject: (turn) =>
      withLastCall(turn, (call) => ({ name: call.name, arguments: JSON.stringify(jsonText(call.args)) })),
  },
  {
    id: 'F20',
    name: 'hallucinated_tool',
    kind: 'arguments',
    looks: 'a name that was not offered: tools.get_weather, getWeather, get_wether',
    // F43 is a number that is not a state.
    expect: expecting(spokenIn('marked', 'tagged', 'worded', 'native'), NOT_OFFERED),
    inject: (turn) =>
      withLastCall(turn, (call) => ({ name: otherName(call.name, turn), arguments: jsonText(call.args) })),
  },
  {
    id: 'F21',
    name: 'missing_required',
    kind: 'arguments',
    looks: 'a required argument is missing',
    expect: everywhere('bad_args_schema', 'bad_args_schema'),
    inject: (turn) =>
      withArguments(turn, (args, schema) => {
        const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
        const target = pick(
          args.filter(([key]) => required.includes(key)),
          turn.chance('argument'),
        )
        return target === null ? null : args.filter((pair) => pair !== target)
      }),
  },
  {
    id: 'F22',
    name: 'extra_param',
    kind: 'arguments',
    looks: 'an argument that the tool does not have',
    expect: everywhere('bad_args_schema', 'bad_args_schema'),
    inject: (turn) =>
      withArguments(turn, (args, schema) =>
        schema['additionalProperties'] === false ? [...args, ['__unexpected', 1]] : null,
      ),
  },
  {
    id: 'F23',
    name: 'bad_type',
    kind: 'arguments',
    looks: 'a number as text, or a text as number',
    expect: everywhere('bad_args_schema', 'bad_args_schema'),
    inject: (turn) =>
      withArguments(turn, (args, schema) => {
        const target = pick(
          args.filter(([key]) => typeof property(schema, key)['type'] === 'string'),
          turn.chance('argument'),
        )
        return target === null ? null : withArgument(args, target, otherType(target[1]))
      }),
  },
  {
    id: 'F24',
    name: 'bad_enum',
    kind: 'arguments',
    looks: 'a value outside the enumeration',
    expect: everywhere('bad_args_schema', 'bad_args_schema'),
    inject: (turn) =>
      withArguments(turn, (args, schema) => {
        const target = pick(
          args.filter(([key]) => Array.isArray(property(schema, key)['enum'])),
          turn.chance('argument'),
        )
        return target === null ? null : withArgument(args, target, `${String(target[1])}_archive`)
      }),
  },
]

type ArgumentPair = readonly [string, unknown]
type ArgumentSchema = Readonly<Record<string, unknown>>

function withArguments(
  turn: FaultyTurn,
  change: (args: readonly ArgumentPair[], schema: ArgumentSchema) => readonly ArgumentPair[] | null,
): FaultyReply | null {
  return withLastCall(turn, (call: PlannedCall) => {
    const injected = change(Object.entries(call.args), turn.reference.schemas.get(call.name) ?? {})
    return injected === null ? null : { name: call.name, arguments: jsonText(Object.fromEntries(injected)) }
  })
}

function property(schema: ArgumentSchema, name: string): ArgumentSchema {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, ArgumentSchema>>
  return Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {}
}

function withArgument(args: readonly ArgumentPair[], target: ArgumentPair, value: unknown): readonly ArgumentPair[] {
  return args.map((pair) => (pair === target ? [pair[0], value] : pair))
}

function otherType(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? 7 : 'all'
}

/** A prefix, another spelling, or a typo: never a name of an offered tool. */
function otherName(name: string, { chance, reference }: FaultyTurn): string {
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const slip = `${name.slice(0, -2)}${name.slice(-1)}`
  const names = [`tools.${name}`, camel, slip].filter((other) => !reference.tools.includes(other))
  return pick(names, chance('name')) ?? `tools.${name}`
}
