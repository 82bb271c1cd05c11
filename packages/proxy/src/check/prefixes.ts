import type { ApiMessage, ApiRequest } from '@callspec/apis'
import { sha256 } from '@callspec/eval/replies'
import { dumps, isDict, loads } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import type { Question } from './question.ts'
import type { ReadReply } from './read-exchange.ts'

/*
 * How much of the prompt stays the same from one request of a conversation to the next. A server keeps what it computed for the beginning of
 * a prompt, up to the first byte that differs; what differs early is paid for again with every request. The prompt itself is not recorded:
 * what decides about it is compared in the order in which templates write it: settings of the template, tools, messages.
 */

/** Why the beginning of a prompt changed. */
export const PREFIX_BREAKS = {
  settings: 'settings of the template changed, such as thinking or its effort',
  'tools-order': 'the same tools came in another order',
  tools: 'a tool was added, taken away or changed',
  date: 'a text differs in digits alone, such as a date or a time',
  system: 'the system text changed',
  'thought-dropped': 'a thought of an earlier turn was left out',
  'arguments-spelled': 'the arguments of an earlier call are the same values in another spelling',
  message: 'an earlier message changed',
  'message-dropped': 'earlier messages were left out',
} as const

/** One of `PREFIX_BREAKS`. */
export type PrefixBreak = keyof typeof PREFIX_BREAKS

/** How often the beginning changed for one cause. */
export interface PrefixCount {
  readonly cause: PrefixBreak
  readonly requests: number
  /** The member that changed first, such as `tools[1].description`, and the exchange: of the request that lost most. */
  readonly member: string
  readonly first: string
  /** Bytes of its predecessor that it does not repeat. */
  readonly lost: number
}

/** What became of the prompts of conversations. */
export interface PrefixReport {
  /** How many requests follow another one of the same conversation, and how many of them repeat it wholly. */
  readonly followed: number
  readonly stable: number
  /** Bytes of the predecessors, and how many of them were repeated. UTF-8. */
  readonly bytes: { readonly before: number; readonly same: number }
  /** Tokens of the prompts that follow, and how many of them the server had; null if no usage says it. */
  readonly tokens: { readonly prompt: number; readonly cached: number } | null
  /** The most frequent first. */
  readonly breaks: readonly PrefixCount[]
}

/** Follows conversations; the newest request of each is kept. */
export interface PrefixWatch {
  add(exchange: string, question: Question, reply: ReadReply | null): void
  end(): PrefixReport
}

/** A member of a request that decides about the prompt. */
interface Member {
  readonly name: string
  readonly kind: 'settings' | 'tool' | 'system' | 'thought' | 'arguments' | 'text'
  readonly text: string
}

/** Older conversations are forgotten first. */
const MOST_CONVERSATIONS = 1000
/** In UTF-16 units: a larger request is not followed. */
const MOST_UNITS = 4_000_000

export function createPrefixWatch(): PrefixWatch {
  const newest = new Map<string, readonly Member[]>()
  const breaks = new Map<PrefixBreak, PrefixCount>()
  const tokens = { prompt: 0, cached: 0, seen: false }
  const bytes = { before: 0, same: 0 }
  let [followed, stable] = [0, 0]
  return {
    add: (exchange, question, reply) => {
      const members = membersOf(question)
      const key = keyOf(question)
      if (key === null || members.reduce((sum, { text }) => sum + text.length, 0) > MOST_UNITS) return
      const before = newest.get(key)
      newest.delete(key)
      newest.set(key, members)
      const [oldest] = newest.size > MOST_CONVERSATIONS ? newest.keys() : []
      if (oldest !== undefined) newest.delete(oldest)
      if (before === undefined || isRepeated(before, members)) return
      followed += 1
      const usage = reply?.said.usage
      if (usage?.cached !== undefined) {
        tokens.seen = true
        tokens.prompt += usage.prompt
        tokens.cached += usage.cached
      }
      const { same, all, differs } = compare(before, members)
      bytes.before += all
      bytes.same += same
      if (differs === null) {
        stable += 1
        return
      }
      const { cause, member } = differs
      const known = breaks.get(cause)
      const one = { cause, requests: 1, member, first: exchange, lost: all - same }
      const worst = known === undefined || one.lost > known.lost ? one : known
      breaks.set(cause, { ...worst, requests: (known?.requests ?? 0) + 1 })
    },
    end: () => ({
      ...{ followed, stable, bytes },
      tokens: tokens.seen ? { prompt: tokens.prompt, cached: tokens.cached } : null,
      breaks: [...breaks.values()].toSorted((one, other) => other.requests - one.requests),
    }),
  }
}

/** Requests of one conversation have the same model and the same first words of the user. */
function keyOf({ request, body }: Question): string | null {
  const first = request.messages.find(({ role }) => role === 'user')
  const model = body.get('model')
  return first === undefined ? null : sha256(JSON.stringify([typeof model === 'string' ? model : null, first]))
}

/** A request that was sent again: the answer was lost, or another one was wanted. */
function isRepeated(before: readonly Member[], after: readonly Member[]): boolean {
  return before.length === after.length && before.every((member, at) => isSame(member, after[at]))
}

function isSame(one: Member, other: Member | undefined): boolean {
  return one.name === other?.name && one.text === other.text
}

const SETTINGS = ['chat_template_kwargs', 'reasoning_effort', 'thinking', 'reasoning', 'chat_template', 'documents']

function membersOf({ request, body }: Question): readonly Member[] {
  const settings = SETTINGS.flatMap((name) => {
    const value = body.get(name)
    return value === undefined ? [] : [{ name, kind: 'settings', text: dumps(value) } as const]
  })
  const tools = request.tools.map(({ name, description, parameters }, at) => {
    const text = dumps([name, description, parameters])
    return { name: `tools[${at}]`, kind: 'tool', text } as const
  })
  return [...settings, ...tools, ...request.messages.flatMap(messageMembers)]
}

function messageMembers(message: ApiRequest['messages'][number], at: number): readonly Member[] {
  const name = `messages[${at}]`
  switch (message.role) {
    case 'system':
      return [{ name: `${name}.content`, kind: 'system', text: message.text }]
    case 'assistant':
      return assistantMembers(message, name)
    case 'user':
    case 'tool': {
      const images = message.role === 'user' ? message.images.join('\n') : ''
      return [{ name: `${name}.content`, kind: 'text', text: `${message.role}\n${message.text}${images}` }]
    }
  }
}

/** A thought is always listed, so that one that is left out is seen. */
function assistantMembers(message: Extract<ApiMessage, { role: 'assistant' }>, name: string): readonly Member[] {
  return [
    { name: `${name}.reasoning_content`, kind: 'thought', text: message.reasoning },
    { name: `${name}.content`, kind: 'text', text: `assistant\n${message.text}` },
    ...message.calls.flatMap((call, at): readonly Member[] => [
      { name: `${name}.tool_calls[${at}].name`, kind: 'text', text: call.name },
      { name: `${name}.tool_calls[${at}].arguments`, kind: 'arguments', text: call.arguments },
    ]),
  ]
}

interface Comparison {
  /** Bytes of the earlier request, and how many of them the later one repeats. */
  readonly all: number
  readonly same: number
  /** Null if it repeats all. */
  readonly differs: { readonly cause: PrefixBreak; readonly member: string } | null
}

function compare(before: readonly Member[], after: readonly Member[]): Comparison {
  const all = before.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  const at = before.findIndex((member, place) => !isSame(member, after[place]))
  const [one, other] = [before[at], after[at]]
  if (one === undefined) return { all, same: all, differs: null }
  const whole = before.slice(0, at).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  const same = whole + (one.name === other?.name ? commonBytes(one.text, other.text) : 0)
  return { all, same, differs: { cause: causeOf({ one, other, before, after }), member: (other ?? one).name } }
}

function commonBytes(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return Buffer.byteLength(one.slice(0, at))
}

interface Change {
  readonly one: Member
  readonly other: Member | undefined
  readonly before: readonly Member[]
  readonly after: readonly Member[]
}

function causeOf({ one, other, before, after }: Change): PrefixBreak {
  if (other === undefined) return 'message-dropped'
  if (one.kind === 'settings' || other.kind === 'settings') return 'settings'
  if (one.kind === 'tool' || other.kind === 'tool') return isReordered(before, after) ? 'tools-order' : 'tools'
  if (one.name === other.name && withoutDigits(one.text) === withoutDigits(other.text)) return 'date'
  if (one.kind === 'system' || other.kind === 'system') return 'system'
  if (one.kind === 'thought' && other.kind === 'thought' && other.text === '') return 'thought-dropped'
  if (one.kind === 'arguments' && other.kind === 'arguments' && isSameJson(one.text, other.text))
    return 'arguments-spelled'
  const left = new Set(before.map(({ text }) => text))
  // What comes here was further behind before.
  return other.text !== '' && left.has(other.text) ? 'message-dropped' : 'message'
}

function isReordered(before: readonly Member[], after: readonly Member[]): boolean {
  const tools = (members: readonly Member[]): string =>
    JSON.stringify(members.flatMap(({ kind, text }) => (kind === 'tool' ? text : [])).toSorted())
  return tools(before) === tools(after)
}

function withoutDigits(text: string): string {
  return text.replaceAll(/\d+/g, '0')
}

function isSameJson(one: string, other: string): boolean {
  try {
    return sorted(loads(one)) === sorted(loads(other))
  } catch {
    // One of them is no JSON.
    return false
  }
}

function sorted(value: PyValue): string {
  return dumps(isDict(value) ? new Map([...value].toSorted(([left], [right]) => (left < right ? -1 : 1))) : value)
}
