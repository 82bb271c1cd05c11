import { balancedEnd } from '../text/balanced.ts'
import { readLenientJson } from './lenient-json.ts'

/** How a family of models begins a call, and what a whole one has. */
export interface CallFormat {
  readonly id: string
  /** The opening mark with so much behind it that a sentence about the format does not hold it. */
  readonly opens: RegExp
  /** What the call holds: JSON, or text up to this tag. */
  readonly body: 'json' | { readonly closes: string }
}

/**
 * The formats in which servers leave calls in the text, a line each; of several that match at one place the first counts.
 * Only what tells them apart stands here: which tool is called, and with what, is nobody's business before a parser reads it.
 */
export const CALL_FORMATS: readonly CallFormat[] = [
  { id: 'seed-oss', opens: /<seed:tool_call>/, body: { closes: '</function>' } },
  { id: 'minimax-m2', opens: /<minimax:tool_call>\s{0,8}</, body: { closes: '</invoke>' } },
  { id: 'minimax-m3', opens: /\]<\]minimax\[>\[<tool_call>/, body: { closes: '>' } },
  { id: 'longcat', opens: /<longcat_tool_call>/, body: { closes: '</longcat_tool_call>' } },
  {
    id: 'qwen3-coder',
    opens: /(?:<tool_call>\s{0,8})?<function=[^>\s]{1,80}>\s{0,8}<(?:parameter=|\/function)/,
    body: { closes: '</function>' },
  },
  { id: 'functionary-v3.1', opens: /<function=[\w.-]{1,80}>\s{0,8}\{/, body: 'json' },
  {
    id: 'glm-4.5',
    opens: /<tool_call>\s{0,4}[^\s<>{}[\]]{1,80}\s{0,4}<(?:arg_key|\/tool_call)>/,
    body: { closes: '</tool_call>' },
  },
  { id: 'granite-3', opens: /<\|tool_call\|>\s{0,4}[[{]|<tool_call>\s{0,4}\[\s{0,16}\{/, body: 'json' },
  { id: 'nous', opens: /<tool_call>\s{0,8}\{/, body: 'json' },
  { id: 'gemma-4', opens: /<\|tool_call>\s{0,4}call:/, body: { closes: '}' } },
  { id: 'functiongemma', opens: /<start_function_call>\s{0,4}call:/, body: { closes: '}' } },
  { id: 'granite-20b', opens: /<function_call>\s{0,4}\{/, body: 'json' },
  {
    id: 'deepseek-v3',
    opens: /<｜tool▁call(?:s▁begin｜>\s{0,4}<｜tool▁call)?▁begin｜>\s{0,4}function<｜tool▁sep｜>/,
    body: 'json',
  },
  { id: 'deepseek-v3.1', opens: /<｜tool▁calls?▁begin｜>/, body: 'json' },
  { id: 'deepseek-v4.1', opens: /<｜DSML｜ (?:calls>|invoke name=)/, body: { closes: '</｜DSML｜ invoke>' } },
  {
    id: 'deepseek-v3.2',
    opens: /<｜DSML｜(?:function_calls>|tool_calls>|invoke name=)/,
    body: { closes: '</｜DSML｜invoke>' },
  },
  { id: 'step-3', opens: /<｜tool_calls?_begin｜>|<steptml:invoke name=/, body: { closes: '</steptml:invoke>' } },
  { id: 'kimi-k3', opens: /<\|open\|>(?:tools<\|sep\|>|call tool=)/, body: { closes: '<|close|>call<|sep|>' } },
  { id: 'kimi-k2', opens: /<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>/, body: 'json' },
  { id: 'lfm2', opens: /<\|tool_call_start\|>\s{0,4}\[/, body: { closes: ']' } },
  { id: 'llama4-pythonic', opens: /<\|python_start\|>\s{0,4}\[/, body: { closes: ']' } },
  { id: 'llama3-json', opens: /<\|python_tag\|>\s{0,4}\{/, body: 'json' },
  { id: 'mistral-v3', opens: /\[TOOL_CALLS\]\s{0,4}\[\s{0,16}\{/, body: 'json' },
  { id: 'mistral-v11', opens: /\[TOOL_CALLS\][^[\]{}\n]{1,80}\[CALL_ID\][^[\]{}\n]{1,40}\[ARGS\]/, body: 'json' },
  { id: 'mistral-v13', opens: /\[TOOL_CALLS\][^[\]{}\n]{1,80}(?:\[ARGS\]|\{)/, body: 'json' },
  {
    id: 'harmony',
    opens:
      /<\|channel\|>(?:commentary|analysis) to=[\w.-]{1,80}|\bto=functions\.[\w.-]{1,80} ?(?:<\||(?:json|code)?\s{0,2}\{)/,
    body: 'json',
  },
  { id: 'phi-4-mini', opens: /functools\s{0,2}\[\s{0,4}\{/, body: 'json' },
  { id: 'command-r7b', opens: /<\|START_ACTION\|>\s{0,4}\[/, body: 'json' },
  { id: 'internlm', opens: /<\|action_start\|>\s{0,4}<\|plugin\|>/, body: 'json' },
  { id: 'functionary-v3.2', opens: />>>[\w.-]{1,80}\n\{/, body: 'json' },
  { id: 'hunyuan', opens: /<tool_calls>\s{0,4}[[{]/, body: 'json' },
  { id: 'nemotron', opens: /<TOOLCALL>\s{0,4}\[/, body: 'json' },
  { id: 'apertus', opens: /<\|tools_prefix\|>\s{0,4}\[/, body: 'json' },
  { id: 'gigachat', opens: /function call<\|role_sep\|>\s{0,4}\{/, body: 'json' },
  { id: 'anthropic', opens: /<function_calls>\s{0,4}<invoke name=/, body: { closes: '</invoke>' } },
  { id: 'olmo-3', opens: /<function_calls>\s{0,4}[a-z_]\w{0,79}\(/i, body: { closes: ')' } },
  {
    id: 'pythonic',
    opens: /(?<=^|\n)[ \t]{0,8}\[ {0,4}[A-Za-z_]\w{0,79}(?:\.\w{1,80}){0,4} {0,4}\((?=\)| {0,4}\w{1,80} ?=)/,
    body: { closes: ']' },
  },
]

/** A call of some family that stands in a text. */
export interface ForeignCall {
  /** Id of a line of `CALL_FORMATS`. */
  readonly format: string
  readonly start: number
  /** Whether a reader of that format could make something of it; what is broken off or no JSON is nobody's but the model's. */
  readonly isWhole: boolean
}

/** All openings at once, a group each: a text is gone through once. */
const OPENINGS = new RegExp(CALL_FORMATS.map(({ opens }) => `(${opens.source})`).join('|'), 'i')
/** Whatever opens a call holds one of these; most answers hold none. */
const HINTS = /[<[]|functools|to=functions|>>>|role_sep/

/** The first call in a text that is none of the protocol's; null for none. Linear. */
export function foreignCall(text: string): ForeignCall | null {
  const match = HINTS.test(text) ? OPENINGS.exec(text) : null
  if (match === null) return null
  const format = CALL_FORMATS[match.slice(1).findIndex((group) => group !== undefined)]
  return format === undefined
    ? null
    : { format: format.id, start: match.index, isWhole: isWhole(text, match.index + match[0].length, format) }
}

function isWhole(text: string, behind: number, { body }: CallFormat): boolean {
  if (body !== 'json') return text.includes(body.closes, behind - body.closes.length)
  // The opening may end in the bracket that begins the JSON.
  const start = nextBracket(text, behind - 1)
  const end = start < 0 ? null : balancedEnd(text, start)
  return end !== null && readLenientJson(text.slice(start, end)) !== null
}

function nextBracket(text: string, from: number): number {
  const pattern = /[{[]/g
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}
