import type { PlainValue } from '@callspec/python'
import { balancedEnd } from '@callspec/python'
import type { Format, UnreadCall } from '@callspec/core'
import { FORMATS, InputError } from '@callspec/core'
import { readLenientJson } from './lenient-json.ts'
import type { IdentifiedReply } from '@callspec/core/identify'
import { identifyReply } from '@callspec/core/identify'
import type { ToolSpec } from '../trace/task.ts'

/** Which format a text of a model is in. Tools that are nested too deeply to be read are ignored. */
export function identifyText(
  text: string,
  tools: readonly ToolSpec[] | null,
  formats?: readonly Format[],
): IdentifiedReply {
  const among = formats === undefined ? {} : { formats }
  if (tools === null || tools.length === 0) return identifyReply(text, among)
  try {
    const plain = tools.map(({ name, parameters }) => ({ name, parameters: parameters as PlainValue }))
    return identifyReply(text, { tools: plain, ...among })
  } catch (error) {
    if (error instanceof InputError) return identifyReply(text, among)
    throw error
  }
}

/** The formats of a text with a call at `start`. Some formats find a call only if it begins the text. */
export function identifiedFrom(text: string, start: number): readonly string[] {
  const { formats } = identifyReply(text)
  return formats.length > 0 || start <= 0 ? formats : identifyReply(text.slice(start)).formats
}

/** Lists names that are equally likely: `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}

/** How a family of models begins a call, and what a whole one has. */
export interface CallFormat extends UnreadCall {
  readonly id: string
}

/** Families without a format in callspec. */
const OTHERS: readonly CallFormat[] = [
  { id: 'longcat', opens: /<longcat_tool_call>/, body: { closes: '</longcat_tool_call>' } },
  { id: 'functionary-v3.1', opens: /<function=[\w.-]{1,80}>\s{0,8}\{/, body: 'json' },
  { id: 'granite-20b', opens: /<function_call>\s{0,4}\{/, body: 'json' },
  { id: 'step-3', opens: /<｜tool_calls?_begin｜>|<steptml:invoke name=/, body: { closes: '</steptml:invoke>' } },
  { id: 'internlm', opens: /<\|action_start\|>\s{0,4}<\|plugin\|>/, body: 'json' },
  { id: 'functionary-v3.2', opens: />>>[\w.-]{1,80}\n\{/, body: 'json' },
  { id: 'tool_code', opens: /```tool_code\s{0,8}\n\s{0,8}(?:print\(\s{0,4})?[\w.]{1,80}\(/, body: { closes: '```' } },
  { id: 'anthropic', opens: /<function_calls>\s{0,4}<invoke name=/, body: { closes: '</invoke>' } },
]

/**
 * The formats in which servers leave calls in the text, those of core first: where several match at one place, the first counts.
 * Only what distinguishes the formats is here, not which tool is called.
 */
export function callFormats(): readonly CallFormat[] {
  return [...FORMATS.flatMap(({ id, unread }) => (unread === undefined ? [] : [{ id, ...unread }])), ...OTHERS]
}

/** A call of some family in a text. */
export interface ForeignCall {
  /** Id of one of `callFormats`. */
  readonly format: string
  readonly start: number
  /** Whether a reader of that format could read it; a call that breaks off or is not JSON is the model's fault. */
  readonly isWhole: boolean
}

/** What opens a call contains one of these; most answers contain none. */
const CALL_HINTS = /[<[]|```tool_code|functools|to=functions|>>>|role_sep/

let known: { readonly formats: readonly CallFormat[]; readonly openings: RegExp } | null = null

/** The openings of all formats in one pattern, a group for each, so that a text is searched once. */
function openings(): NonNullable<typeof known> {
  if (known !== null) return known
  const formats = callFormats()
  known = { formats, openings: new RegExp(formats.map(({ opens }) => `(${opens.source})`).join('|'), 'i') }
  return known
}

/** The first call in a text that does not belong to the format; null without one. Linear. */
export function foreignCall(text: string): ForeignCall | null {
  if (!CALL_HINTS.test(text)) return null
  const { formats, openings: pattern } = openings()
  const match = pattern.exec(text)
  const format = match === null ? undefined : formats[match.slice(1).findIndex((group) => group !== undefined)]
  if (match === null || format === undefined) return null
  return { format: format.id, start: match.index, isWhole: isWholeCall(text, match.index + match[0].length, format) }
}

function isWholeCall(text: string, after: number, { body }: CallFormat): boolean {
  if (body !== 'json') return text.includes(body.closes, after - body.closes.length)
  // The opening may end in the bracket that begins the JSON.
  const start = nextBracket(text, after - 1)
  const end = start < 0 ? null : balancedEnd(text, start)
  return end !== null && readLenientJson(text.slice(start, end)) !== null
}

function nextBracket(text: string, from: number): number {
  const pattern = /[{[]/g
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}
