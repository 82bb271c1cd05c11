import { balancedEnd } from '@callspec/python'
import { FORMATS, InputError } from '@callspec/core'
import type { UnreadCall } from '@callspec/core'
import { readLenientJson } from './lenient-json.ts'
import { identifyReply } from '@callspec/core/identify'
import type { IdentifiedReply } from '@callspec/core/identify'
import type { PlainValue } from '@callspec/python'
import type { ToolSpec } from '../trace/task.ts'

/** Which format a text of a model is in. Tools that are nested too deep for anybody to read are as good as none. */
export function identifyText(text: string, tools: readonly ToolSpec[] | null): IdentifiedReply {
  if (tools === null || tools.length === 0) return identifyReply(text)
  try {
    const plain = tools.map(({ name, parameters }) => ({ name, parameters: parameters as PlainValue }))
    return identifyReply(text, { tools: plain })
  } catch (error) {
    if (error instanceof InputError) return identifyReply(text)
    throw error
  }
}

/**
 * The formats of a text in which somebody saw a call begin at `start`. Some formats want their call to be the whole reply,
 * and with words before it find it only from there on.
 */
export function identifiedFrom(text: string, start: number): readonly string[] {
  const { formats } = identifyReply(text)
  return formats.length > 0 || start <= 0 ? formats : identifyReply(text.slice(start)).formats
}

/** Names between which nobody can tell: `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}

/** How a family of models begins a call, and what a whole one has. */
export interface CallFormat extends UnreadCall {
  readonly id: string
}

/** Families of which callspec has no format. */
const OTHERS: readonly CallFormat[] = [
  { id: 'minimax-m3', opens: /\]<\]minimax\[>\[<tool_call>/, body: { closes: '>' } },
  { id: 'longcat', opens: /<longcat_tool_call>/, body: { closes: '</longcat_tool_call>' } },
  { id: 'functionary-v3.1', opens: /<function=[\w.-]{1,80}>\s{0,8}\{/, body: 'json' },
  { id: 'granite-20b', opens: /<function_call>\s{0,4}\{/, body: 'json' },
  { id: 'step-3', opens: /<｜tool_calls?_begin｜>|<steptml:invoke name=/, body: { closes: '</steptml:invoke>' } },
  { id: 'internlm', opens: /<\|action_start\|>\s{0,4}<\|plugin\|>/, body: 'json' },
  { id: 'functionary-v3.2', opens: />>>[\w.-]{1,80}\n\{/, body: 'json' },
  { id: 'hunyuan', opens: /<tool_calls>\s{0,4}[[{]/, body: 'json' },
  { id: 'nemotron', opens: /<TOOLCALL>\s{0,4}\[/, body: 'json' },
  { id: 'apertus', opens: /<\|tools_prefix\|>\s{0,4}\[/, body: 'json' },
  { id: 'gigachat', opens: /function call<\|role_sep\|>\s{0,4}\{/, body: 'json' },
  { id: 'tool_code', opens: /```tool_code\s{0,8}\n\s{0,8}(?:print\(\s{0,4})?[\w.]{1,80}\(/, body: { closes: '```' } },
  { id: 'anthropic', opens: /<function_calls>\s{0,4}<invoke name=/, body: { closes: '</invoke>' } },
]

/**
 * The formats in which servers leave calls in the text, those of the list first; of several that match at one place the first
 * counts. Only what tells them apart stands here: which tool is called, and with what, is nobody's business before a parser
 * reads it.
 */
export const CALL_FORMATS: readonly CallFormat[] = [
  ...FORMATS.flatMap(({ id, unread }) => (unread === undefined ? [] : [{ id, ...unread }])),
  ...OTHERS,
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
const HINTS = /[<[]|```tool_code|functools|to=functions|>>>|role_sep/

/** The first call in a text that does not belong to the format; null without one. Linear. */
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
