import type { ToolSpec } from '../trace/task.ts'

export interface ScriptedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** One request with a known answer, simple enough for weak models. */
export interface Script {
  /** Never renamed: programs read it. */
  readonly id: string
  readonly system?: string
  readonly question: string
  readonly past?: { readonly call: ScriptedCall; readonly result: string }
  readonly tools: readonly ToolSpec[]
  /** `tool_choice`. */
  readonly choice?: 'required' | { readonly type: 'function'; readonly function: { readonly name: string } }
  /** The expected calls; none for a text. */
  readonly calls: readonly ScriptedCall[]
  /** A part of the expected text; absent for any text. */
  readonly mentions?: string
}

const WEATHER_TOOL: ToolSpec = {
  name: 'get_weather',
  description: 'The weather in one city right now.',
  parameters: object({ city: { type: 'string' } }),
}
const TIME: ToolSpec = {
  name: 'get_time',
  description: 'The time of the server. Takes nothing.',
  parameters: object({}),
}
const EVENT: ToolSpec = {
  name: 'create_event',
  description: 'Creates an event in the calendar.',
  parameters: object({
    title: { type: 'string' },
    start: object({ date: { type: 'string', description: 'YYYY-MM-DD' }, hour: { type: 'integer' } }),
    guests: { type: 'array', items: object({ name: { type: 'string' }, isRequired: { type: 'boolean' } }) },
  }),
}
const MESSAGE: ToolSpec = {
  name: 'send_message',
  description: 'Sends a message, exactly as it is given.',
  parameters: object({ to: { type: 'string' }, text: { type: 'string' } }),
}

/** Characters of two, three and four bytes, and all that JSON escapes. */
const HARD_TEXT = 'Grüße an alle! 你好, "ok"? C:\\new 🎉'

/** The ten requests of a quick examination, in the order in which they are made. */
export const SCRIPTS: readonly Script[] = [
  {
    id: 'one-call',
    question: 'What is the weather in Paris right now? Use the tool.',
    tools: [WEATHER_TOOL, TIME],
    calls: [{ name: WEATHER_TOOL.name, args: { city: 'Paris' } }],
  },
  {
    id: 'parallel-calls',
    question: 'What is the weather in Rome, and what is it in Lima? Call the tool for both cities at once.',
    tools: [WEATHER_TOOL, TIME],
    calls: ['Rome', 'Lima'].map((city) => ({ name: WEATHER_TOOL.name, args: { city } })),
  },
  {
    id: 'no-call',
    question: 'Say hello in one short sentence. You need no tool for that.',
    tools: [WEATHER_TOOL, TIME],
    calls: [],
  },
  {
    id: 'no-arguments',
    question: 'What time is it on the server? Use the tool.',
    tools: [WEATHER_TOOL, TIME],
    calls: [{ name: TIME.name, args: {} }],
  },
  {
    id: 'nested-arguments',
    question:
      'Create the event "Review" on 2026-03-02 at 14 hours. Guests: Ada, who is required, and Linus, who is not. Use the tool.',
    tools: [EVENT],
    calls: [
      {
        name: EVENT.name,
        args: {
          title: 'Review',
          start: { date: '2026-03-02', hour: 14 },
          guests: [
            { name: 'Ada', isRequired: true },
            { name: 'Linus', isRequired: false },
          ],
        },
      },
    ],
  },
  {
    id: 'unicode-arguments',
    question: `Send this message to Zoë, and change no character of it: ${HARD_TEXT}`,
    tools: [MESSAGE],
    calls: [{ name: MESSAGE.name, args: { to: 'Zoë', text: HARD_TEXT } }],
  },
  {
    id: 'forced-call',
    question: 'I wonder what the weather in Berlin is like.',
    tools: [WEATHER_TOOL, TIME],
    choice: 'required',
    calls: [{ name: WEATHER_TOOL.name, args: { city: 'Berlin' } }],
  },
  {
    id: 'forced-tool',
    question: 'It must be raining in Madrid.',
    tools: [TIME, WEATHER_TOOL],
    choice: { type: 'function', function: { name: WEATHER_TOOL.name } },
    calls: [{ name: WEATHER_TOOL.name, args: { city: 'Madrid' } }],
  },
  {
    id: 'after-result',
    question: 'How many degrees are there in Cairo?',
    past: { call: { name: WEATHER_TOOL.name, args: { city: 'Cairo' } }, result: '{"sky": "clear", "celsius": 37}' },
    tools: [WEATHER_TOOL, TIME],
    calls: [],
    mentions: '37',
  },
  {
    id: 'thought-then-call',
    system: 'Think step by step about what you know and what you need before you call a tool.',
    question: 'Do I need an umbrella in Oslo today? Find out with the tool.',
    tools: [WEATHER_TOOL, TIME],
    calls: [{ name: WEATHER_TOOL.name, args: { city: 'Oslo' } }],
  },
]

function object(properties: Readonly<Record<string, unknown>>): ToolSpec['parameters'] {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** The scripts as a suite with reference plans, so that simulated models answer each one correctly. */
export function quickSuite(): Readonly<Record<string, unknown>> {
  const tools = SCRIPTS.flatMap((script) => script.tools).map(({ name, ...spec }) => [name, { name, ...spec }])
  const tasks = SCRIPTS.map(({ id, question, tools: offered, calls, past, mentions }) => ({
    id,
    category: 'quick',
    lang: 'en',
    query: question,
    tools: offered.map(({ name }) => name),
    reference: {
      plan: past === undefined ? [calls] : [[past.call]],
      observations: past === undefined ? [] : [past.result],
      final: mentions === undefined ? 'Hello!' : `It is ${mentions}.`,
    },
    verdict: {},
  }))
  return { version: 1, tools: Object.fromEntries(tools), tasks }
}

export function messagesOf({ system, question, past }: Script): readonly Readonly<Record<string, unknown>>[] {
  const asked = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: question },
  ]
  if (past === undefined) return asked
  const { call, result } = past
  const made = { id: 'call_1', type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } }
  return [
    ...asked,
    { role: 'assistant', content: null, tool_calls: [made] },
    { role: 'tool', tool_call_id: made.id, content: result },
  ]
}
