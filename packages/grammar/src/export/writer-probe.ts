import { type Format, type ReplyItem, callsOf, isStrict, joinParts } from '@callspec/core'
import { type PlainValue, type PyDict, dumps, fromPlain } from '@callspec/python'

/** A call as a probe writes it. */
export type ProbeCall = {
  readonly name: string
  readonly given: Readonly<Record<string, unknown>>
  readonly id?: string
}

/** Writes a reply with the writer of a format: a text, then calls, with arguments as Python's `json.dumps` spells them. */
export function writeProbe(
  format: Format,
  { text, thought, calls = [] }: { text?: string; thought?: string; calls?: readonly ProbeCall[] },
): string {
  const items: ReplyItem[] = [
    ...(thought === undefined ? [] : [{ kind: 'reasoning' as const, text: thought }]),
    ...(text === undefined ? [] : [{ kind: 'text' as const, text }]),
    ...calls.map(({ name, given, id }) => ({
      kind: 'call' as const,
      name,
      arguments: jsonOf(given),
      id: id ?? null,
    })),
  ]
  return format.write(items)
}

/** JSON as Python's `json.dumps` spells it. */
export function jsonOf(value: unknown): string {
  return dumps(fromPlain(value as PlainValue))
}

/** A prompt whose history has a call and its result; null if the format has no such prompt. `before` is the prompt of its question. */
export function writeHistory(
  format: Format,
  { name, given }: ProbeCall,
): { readonly before: string; readonly whole: string } | null {
  const call = { id: 'zq0000000', type: 'function', function: { name, arguments: given } }
  const question = { role: 'user', content: 'Zq question.' }
  const answer = { role: 'assistant', content: '', tool_calls: [call] }
  const result = { role: 'tool', tool_call_id: call.id, name, content: 'Zq result.' }
  const render = (messages: readonly object[], isPrompt: boolean): string | null => {
    const outcome = format.prompt?.({
      messages: messages.map((one) => fromPlain(one as PlainValue) as PyDict),
      tools: null,
      options: new Map([['add_generation_prompt', isPrompt]]),
    })
    return outcome?.kind === 'prompted' ? joinParts(outcome.parts) : null
  }
  const before = render([question], true)
  const whole = render([question, answer, result], false)
  return before === null || whole === null ? null : { before, whole }
}

/** Whether prompts of the format sort the arguments of calls by name, as their templates do. */
export function sortsArguments(format: Format): boolean {
  const text = writeHistory(format, { name: 'zqone', given: { zqb: 1, zqa: 2 } })?.whole ?? ''
  return text.includes('zqa') && text.indexOf('zqa') < text.indexOf('zqb')
}

/** The calls that the reader finds, if it has nothing to complain about; else null. */
export function readProbe(
  format: Format,
  text: string,
  tools: readonly { readonly name: string; readonly parameters: unknown }[],
): readonly { readonly name: string; readonly arguments: unknown }[] | null {
  const definitions = tools.map(({ name, parameters }) => ({ name, parameters: parameters as PlainValue }))
  const { items, error } = format.read(text, { tools: definitions, parallelCalls: true })
  if (error !== null || !isStrict(items)) return null
  const calls = callsOf(items).map((call) => ({ name: call.name, arguments: parse(call.arguments) }))
  return calls.every((call) => call.arguments !== undefined) ? calls : null
}

/** Whether the reader takes a text as prose alone, as it is written; white space at its edges may be lost. */
export function isProse(format: Format, text: string, prose: string): boolean {
  const { items, error } = format.read(text, { parallelCalls: true })
  if (error !== null || !isStrict(items)) return false
  const read = items.map((item) => (item.kind === 'text' ? item.text : item.kind === 'issue' ? '' : '\0')).join('')
  return read.trim() === prose.trim()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** How many characters two texts share at their beginning. */
export function sharedStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1
  return at
}

/** How many characters two texts share at their end. */
export function sharedEnd(one: string, other: string): number {
  let count = 0
  while (count < one.length && count < other.length && one.at(-1 - count) === other.at(-1 - count)) count += 1
  return count
}

const CLOSES = '>}])\n'
const OPENS = '<{[✿\n'

/**
 * What a joint between two pieces consists of: the end of the first piece, what is between, and the beginning of the second. `first` and
 * `last` are what precedes the first piece and follows the last one; where the joint is ambiguous, it is cut between marks.
 */
export function splitJoint(
  joint: string,
  { first, last }: { readonly first: string; readonly last: string },
): { readonly end: string; readonly between: string; readonly start: string } {
  if (joint.startsWith(last) && joint.endsWith(first) && joint.length >= last.length + first.length)
    return { end: last, between: joint.slice(last.length, joint.length - first.length), start: first }
  let end = joint.slice(0, sharedStart(joint, last))
  while (end !== '' && !CLOSES.includes(end.at(-1) ?? '')) end = end.slice(0, -1)
  const rest = joint.slice(end.length)
  let start = rest.slice(rest.length - sharedEnd(rest, first))
  while (start !== '' && !OPENS.includes(start.charAt(0))) start = start.slice(1)
  return { end, between: rest.slice(0, rest.length - start.length), start }
}
