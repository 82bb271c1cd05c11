import { isDict, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** A message of an assistant that a chat template writes and a response template should give back. */
export interface RoundTripCase {
  readonly id: string
  /** The messages before it. */
  readonly history: readonly PyValue[]
  readonly content: string
  /** Null if it has no thought. */
  readonly reasoning: string | null
  readonly calls: readonly RoundTripCall[]
  /** The message as it is passed to the chat template; made of the other members if absent. */
  readonly original?: PyDict
  /** The tools that are offered; null for none. */
  readonly tools: PyValue
}

/** A call of a message. */
export interface RoundTripCall {
  readonly name: string
  readonly arguments: PyDict
}

/** What is said: content, thought, and calls as JSON `{"name": {arguments}}`, one or more in a row. */
type Written = readonly [id: string, content: string, reasoning: string | null, ...calls: readonly string[]]

const THOUGHT = 'Use it.'
const WEATHER = '{"get_weather": {"city": "Oslo"}}'

const TEXTS: readonly Written[] = [
  ['plain', 'It is noon.', null],
  ['lines', 'One.\n\nTwo.\n- three', null],
  ['edges', '  x  ', null],
  ['last line feed', 'x\n', null],
  ['empty', '', null],
  ['tag in text', 'Write <tool_call> first, then </think>.', null],
  ['json in text', '{"name": "f", "parameters": {}}', null],
  ['thought and text', 'Noon.', 'The sun is high.'],
  ['thought of lines', 'Noon.', 'One.\n\nTwo.'],
]

const CALLS: readonly Written[] = [
  ['one call', '', null, WEATHER],
  ['no arguments', '', null, '{"now": {}}'],
  ['text and call', 'Let me look.', null, WEATHER],
  ['thought and call', '', THOUGHT, WEATHER],
  ['thought, text, call', 'Let me look.', THOUGHT, WEATHER],
  ['two calls', '', null, WEATHER, '{"now": {"zone": "UTC"}}'],
  ['two calls of one tool', '', null, WEATHER, '{"get_weather": {"city": "Bergen"}}'],
  [
    'types',
    '',
    null,
    '{"put": {"i": 5, "f": 1.5, "t": true, "n": null, "l": [1, "a", null], "o": {"k": {"z": false}}}}',
  ],
  ['1.0', '', null, '{"put": {"f": 1.0}}'],
  ['a small number', '', null, '{"put": {"f": 1e-07}}'],
  ['a long integer', '', null, '{"put": {"i": 12345678901234567890}}'],
  ['name with a hyphen', '', null, '{"get-weather": {"city": "Oslo"}}'],
  ['name with a dot', '', null, '{"ns.get": {"city": "Oslo"}}'],
  ['key with a hyphen', '', null, '{"put": {"my-key": "v"}}'],
  ['Chinese name and key', '', null, '{"天气": {"城市": "奥斯陆"}}'],
  ['spaces behind the comma', '', null, '{"put": {"s": "a, b(c)", "t": "d"}}'],
]

/** Texts as the only argument of a call: those that look like other types, edges, and what a format itself uses. */
const ARGUMENT_TEXTS: readonly (readonly [id: string, text: string])[] = [
  ['text 5', '5'],
  ['text 007', '007'],
  ['text true', 'true'],
  ['text null', 'null'],
  ['text None', 'None'],
  ['text {}', '{"a": 1}'],
  ['text "q"', '"q"'],
  ['empty text', ''],
  ['text with edges', '  x '],
  ['text with a last line feed', 'a\n'],
  ['text of lines', 'a\nb\n\nc'],
  ['quotes and backslash', 'it\'s "so" \\n'],
  ['opening tags', '<tool_call>'],
  ['closing tags', '</parameter></function></tool_call>'],
  ['brackets', 'f(x, [1)], {y}'],
  ['Chinese and emoji', '天气 👩\u200d🚀'],
]

/** The 41 messages of `roundtrip` without `--messages`. */
export function roundTripCases(): readonly RoundTripCase[] {
  const written = [...TEXTS, ...CALLS].map(([id, content, reasoning, ...calls]) =>
    caseOf({ id, content, reasoning, calls: calls.map(callFrom) }),
  )
  const texts = ARGUMENT_TEXTS.map(([id, text]) =>
    caseOf({ id, content: '', reasoning: null, calls: [{ name: 'put', arguments: new Map([['s', text]]) }] }),
  )
  return [...written, ...texts]
}

function callFrom(json: string): RoundTripCall {
  const value = loads(json)
  const [entry] = isDict(value) ? value : []
  if (entry === undefined || !isDict(entry[1]))
    throw new Error(`callspec: ${json} is no call. This is a defect of callspec.`)
  return { name: entry[0], arguments: entry[1] }
}

function caseOf(message: Omit<RoundTripCase, 'history' | 'tools'>): RoundTripCase {
  const history = [
    new Map<string, PyValue>([
      ['role', 'user'],
      ['content', 'Hi'],
    ]),
  ]
  const tools =
    message.calls.length === 0 ? [toolOf('now', new Map([['zone', 'UTC']]), [])] : message.calls.map(toolOfCall)
  return { ...message, history, tools }
}

function toolOfCall(call: RoundTripCall): PyDict {
  return toolOf(call.name, call.arguments, Array.from(call.arguments.keys()))
}

function toolOf(name: string, given: PyDict, required: readonly string[]): PyDict {
  // The text of one case is true, but its tool says otherwise: what a model writes need not fit.
  const properties = new Map(
    Array.from(given, ([key, value]) => [key, new Map([['type', typeOf(key, value)]])] as const),
  )
  return new Map<string, PyValue>([
    ['type', 'function'],
    [
      'function',
      new Map<string, PyValue>([
        ['name', name],
        ['description', 'A tool.'],
        [
          'parameters',
          new Map<string, PyValue>([
            ['type', 'object'],
            ['properties', properties],
            ['required', required],
          ]),
        ],
      ]),
    ],
  ])
}

function typeOf(key: string, value: PyValue): string {
  if (key === 't') return 'boolean'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'number'
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  return isDict(value) ? 'object' : 'array'
}
