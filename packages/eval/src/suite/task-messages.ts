import { dumps, fromPlain } from '@callspec/python'
import type { PlainValue } from '@callspec/python'
import type { Shape, ShapeFault, ShapePath } from '../shape/shape.ts'
import { either, JSON_OBJECT, list, member, NULL, object, oneOf, required, TEXT } from '../shape/shape.ts'
import { parsedJson, isRecord } from '../text/json.ts'
import type { EarlierCall, EarlierMessage, MessageCall, MessageDefinition } from '../trace/task.ts'

const CALL = object({
  id: member(TEXT, 'What the result names as tool_call_id. Default: calls are answered in their order.'),
  type: oneOf(['function']),
  function: required(
    object({
      name: required(TEXT),
      arguments: required(either(TEXT, JSON_OBJECT), 'JSON text as the model wrote it, or an object.'),
    }),
  ),
})

/** The messages before the question of a task, as the chat API has them. */
export const MESSAGES_SHAPE: Shape = list(
  object({
    role: required(oneOf(['system', 'user', 'assistant', 'tool'])),
    content: member(either(TEXT, NULL), 'May be left out by an assistant that calls tools.'),
    tool_calls: member(list(CALL, 1), 'Calls of an assistant; each is answered by a message of the role tool.'),
    tool_call_id: member(TEXT, 'The call that a message of the role tool answers. Default: the next one.'),
    name: member(TEXT, 'Of a tool; not read: the call names it.'),
  }),
)

/** Calls that wait for their results while messages are read. Every step takes constant time. */
interface WaitingCalls<Call> {
  readonly count: () => number
  readonly first: () => Call | null
  /** @param id empty for a call without one; false if a call of that id waits already */
  readonly add: (id: string, call: Call) => boolean
  /** Takes the call that a result answers: that of its id, else the first without an id; of a result without an id the first. Null for none. */
  readonly take: (id: string | undefined) => Call | null
}

function waitingCalls<Call>(): WaitingCalls<Call> {
  const calls: { readonly id: string; readonly call: Call; isAnswered: boolean }[] = []
  const named = new Map<string, number>()
  let [count, first, firstUnnamed] = [0, 0, 0]
  const skipAnswered = (): void => {
    while (calls[first]?.isAnswered === true) first += 1
    while (calls[firstUnnamed]?.isAnswered === true || (calls[firstUnnamed]?.id ?? '') !== '') firstUnnamed += 1
  }
  return {
    count: () => count,
    first: () => calls[first]?.call ?? null,
    add: (id, call) => {
      if (named.has(id)) return false
      if (id !== '') named.set(id, calls.length)
      calls.push({ id, call, isAnswered: false })
      count += 1
      skipAnswered()
      return true
    },
    take: (id) => {
      const found = calls[id === undefined ? first : (named.get(id) ?? firstUnnamed)]
      if (found === undefined) return null
      found.isAnswered = true
      named.delete(found.id)
      count -= 1
      skipAnswered()
      return found.call
    },
  }
}

/** The first message that no conversation can have at its place; null for none. Linear. */
export function messagesFault(messages: readonly MessageDefinition[], path: ShapePath): ShapeFault | null {
  const waiting = waitingCalls<ShapePath>()
  let hasUser = false
  for (const [index, message] of messages.entries()) {
    const at = [...path, index]
    const fault =
      (message.role === 'tool' ? answerFault(message, waiting) : placeFault(message, { index, waiting, hasUser })) ??
      contentFault(message)
    if (fault !== null) return { path: at, message: fault }
    if (message.role === 'user') hasUser = true
    for (const [number, call] of (message.tool_calls ?? []).entries()) {
      const wrong = callFault(call.function)
      if (wrong !== null) return { path: [...at, 'tool_calls', number, 'function'], message: wrong }
      const own = [...at, 'tool_calls', number]
      if (!waiting.add(call.id ?? '', own)) return { path: own, message: twinFault(call.id ?? '') }
    }
  }
  const open = waiting.first()
  return open === null ? null : { path: open, message: NO_RESULT }
}

const NO_RESULT = 'the call has no result. Add a message of the role tool after it'

function twinFault(id: string): string {
  return `"${id.slice(0, 60)}" is the id of another call of this message. Give each its own, or none`
}

const OF_ASSISTANTS = '"tool_calls" belong to a message of the role assistant'

/** Takes the call that a result answers; what is wrong if none waits for it. */
function answerFault(
  { tool_calls: calls, tool_call_id: id }: MessageDefinition,
  waiting: WaitingCalls<ShapePath>,
): string | null {
  if (calls !== undefined) return OF_ASSISTANTS
  const isNamed = id !== undefined && waiting.count() > 0
  if (waiting.take(id) !== null) return null
  return isNamed
    ? `"${id.slice(0, 60)}" is not the id of a call that waits for its result`
    : 'a result without a call. Put the message of the assistant that makes the call before it'
}

interface Before {
  readonly index: number
  readonly waiting: WaitingCalls<ShapePath>
  readonly hasUser: boolean
}

function placeFault(
  { role, tool_calls: calls }: MessageDefinition,
  { index, waiting, hasUser }: Before,
): string | null {
  if (role !== 'assistant' && calls !== undefined) return OF_ASSISTANTS
  if (waiting.count() > 0) return 'a call before this message has no result. Add a message of the role tool before it'
  if (role === 'system' && index > 0) return 'a system message can only be the first one'
  return role === 'assistant' && !hasUser ? 'a reply before any question. Put a message of the user before it' : null
}

function contentFault({ role, content, tool_calls: calls }: MessageDefinition): string | null {
  return typeof content === 'string' || (role === 'assistant' && calls !== undefined)
    ? null
    : 'no "content". Give a text'
}

function callFault({ name, arguments: given }: MessageCall['function']): string | null {
  if (!/^[\w.:-]{1,64}$/.test(name))
    return `${JSON.stringify(name.slice(0, 80))} is no name for a tool. Give letters, digits, _ . : -, at most 64`
  return typeof given !== 'string' || isRecord(parsedJson(given)) ? null : 'the arguments are not a JSON object'
}

/** The messages as runs keep them: every call has an id and arguments as JSON text, every result names its call. Linear. */
export function earlierMessages(messages: readonly MessageDefinition[]): readonly EarlierMessage[] {
  const waiting = waitingCalls<EarlierCall>()
  const given = new Set(messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)))
  let count = 0
  const newId = (): string => {
    do count += 1
    while (given.has(`call_${count}`))
    return `call_${count}`
  }
  return messages.map((message): EarlierMessage => {
    const { role } = message
    const content = message.content ?? ''
    if (role === 'tool') return { role, content, tool_call_id: waiting.take(message.tool_call_id)?.id ?? '' }
    if (message.tool_calls === undefined) return { role, content }
    const calls = message.tool_calls.map(({ id = '', function: { name, arguments: args } }) => {
      const written = typeof args === 'string' ? args : dumps(fromPlain(args as PlainValue))
      const call: EarlierCall = {
        id: id === '' ? newId() : id,
        type: 'function',
        function: { name, arguments: written },
      }
      waiting.add(id, call)
      return call
    })
    return { role, content, tool_calls: calls }
  })
}
