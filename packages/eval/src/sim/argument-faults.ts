import { everywhere, withLastCall, withText } from './fault.ts'
import type { Expectation, Fault, FaultyTurn, SpoiltReply } from './fault.ts'
import type { PlannedCall } from './reference.ts'
import { jsonText } from './render.ts'

const DOUBLE_ENCODED: Expectation = { strict: 'double_encoded', lenient: 'recovered', end: null }
const NOT_OFFERED: Expectation = { strict: 'hallucinated_tool', lenient: 'hallucinated_tool', end: null }

/** Faults in what is asked for: the wrong tool, wrong arguments. And correct replies that look unusual. */
export const ARGUMENT_FAULTS: readonly Fault[] = [
  {
    id: 'F19',
    name: 'double_encoded',
    looks: '"arguments": "{\\"a\\": 1}"',
    expect: { 'fncall-nous': DOUBLE_ENCODED, 'role-react': DOUBLE_ENCODED },
    spoil: (turn) =>
      withLastCall(turn, (call) => ({ name: call.name, arguments: JSON.stringify(jsonText(call.args)) })),
  },
  {
    id: 'F20',
    name: 'hallucinated_tool',
    looks: 'a name that was not offered: tools.get_weather',
    expect: { 'fncall-qwen': NOT_OFFERED, 'fncall-nous': NOT_OFFERED, react: NOT_OFFERED },
    spoil: (turn) => withLastCall(turn, (call) => ({ name: `tools.${call.name}`, arguments: jsonText(call.args) })),
  },
  {
    id: 'F21',
    name: 'missing_required',
    looks: 'the first required argument is missing',
    expect: everywhere('bad_args_schema', 'bad_args_schema'),
    // The reference plans write required arguments first, and every tool with arguments requires its first one.
    spoil: (turn) => withArguments(turn, (args) => (args.length === 0 ? null : args.slice(1))),
  },
  {
    id: 'F22',
    name: 'extra_param',
    looks: 'an argument that the tool does not have',
    expect: everywhere('bad_args_schema', 'bad_args_schema'),
    spoil: (turn) => withArguments(turn, (args) => [...args, ['__unexpected', 1]]),
  },
  {
    id: 'F23',
    name: 'bad_type',
    looks: 'a number as text, or a text as number',
    expect: everywhere('bad_args_schema', 'bad_args_schema'),
    spoil: (turn) =>
      withArguments(turn, ([first, ...rest]) =>
        first === undefined ? null : [[first[0], typeof first[1] === 'number' ? String(first[1]) : 7], ...rest],
      ),
  },
  {
    id: 'F24',
    name: 'bad_enum',
    looks: 'a value outside the enumeration',
    expect: everywhere('bad_args_schema', 'bad_args_schema'),
    spoil: (turn) =>
      withArguments(turn, (args) =>
        turn.calls.at(-1)?.name === 'table_query'
          ? args.map(([key, value]) => [key, key === 'table' ? 'invoices' : value])
          : null,
      ),
  },
  {
    id: 'F12',
    name: 'prose_before',
    looks: 'a sentence, then the call (legal)',
    expect: {
      'fncall-qwen': { strict: 'well_formed', lenient: 'well_formed', end: null },
      'fncall-nous': { strict: 'well_formed', lenient: 'well_formed', end: null },
      // Not legal where nothing but the object is asked for.
      'role-react': { strict: 'malformed', lenient: 'recovered', end: null },
    },
    spoil: (turn) => withText(turn, (text) => `Let me look that up.\n${text}`),
  },
  {
    id: 'F13',
    name: 'prose_after',
    looks: 'a sentence after the last close tag (legal)',
    expect: {
      'fncall-nous': { strict: 'well_formed', lenient: 'well_formed', end: null },
      'role-react': { strict: 'malformed', lenient: 'recovered', end: null },
    },
    spoil: (turn) => withText(turn, (text) => `${text}\nOne moment, please.`),
  },
  {
    id: 'F38',
    name: 'unicode_escape',
    looks: '\\u5317\\u4eac instead of 北京 (legal)',
    expect: everywhere('well_formed', 'well_formed'),
    spoil: (turn) =>
      withLastCall(turn, (call) => {
        const json = jsonText(call.args)
        const escaped = json.replaceAll(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
        return escaped === json ? null : { name: call.name, arguments: escaped }
      }),
  },
  {
    id: 'F39',
    name: 'pretty_print',
    looks: 'arguments over several lines, keys in another order (legal)',
    expect: everywhere('well_formed', 'well_formed'),
    spoil: (turn) =>
      withLastCall(turn, (call) => {
        const reversed = Object.fromEntries(Object.entries(call.args).reverse())
        return Object.keys(reversed).length === 0
          ? null
          : { name: call.name, arguments: escapeTags(JSON.stringify(reversed, null, 2)) }
      }),
  },
]

type Pairs = readonly (readonly [string, unknown])[]

function withArguments(turn: FaultyTurn, change: (args: Pairs) => Pairs | null): SpoiltReply | null {
  return withLastCall(turn, (call: PlannedCall) => {
    const changed = change(Object.entries(call.args))
    return changed === null ? null : { name: call.name, arguments: jsonText(Object.fromEntries(changed)) }
  })
}

function escapeTags(json: string): string {
  return json.replaceAll(/<(?=\/?tool_call>)/g, () => '\\u003c')
}
