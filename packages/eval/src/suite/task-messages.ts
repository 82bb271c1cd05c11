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

/** A call that waits for its result while messages are read. */
interface Waiting {
  readonly id: string
  readonly path: ShapePath
}

/** The first message that no conversation can have at its place; null for none. */
export function messagesFault(messages: readonly MessageDefinition[], path: ShapePath): ShapeFault | null {
  let waiting: readonly Waiting[] = []
  let hasUser = false
  for (const [index, message] of messages.entries()) {
    const at = [...path, index]
    const fault = placeFault(message, { index, waiting, hasUser }) ?? contentFault(message)
    if (fault !== null) return { path: at, message: fault }
    const { role, tool_calls: calls = [] } = message
    if (role === 'user') hasUser = true
    if (role === 'tool') {
      const answered = answeredAt(message, waiting)
      waiting = waiting.filter((_, each) => each !== answered)
    }
    for (const [number, call] of calls.entries()) {
      const wrong = callFault(call.function)
      if (wrong !== null) return { path: [...at, 'tool_calls', number, 'function'], message: wrong }
      waiting = [...waiting, { id: call.id ?? '', path: [...at, 'tool_calls', number] }]
    }
  }
  const [open] = waiting
  return open === undefined ? null : { path: open.path, message: NO_RESULT }
}

const NO_RESULT = 'the call has no result. Add a message of the role tool after it'

interface Before {
  readonly index: number
  readonly waiting: readonly Waiting[]
  readonly hasUser: boolean
}

function placeFault(message: MessageDefinition, { index, waiting, hasUser }: Before): string | null {
  const { role, tool_calls: calls, tool_call_id: id } = message
  if (role !== 'assistant' && calls !== undefined) return '"tool_calls" belong to a message of the role assistant'
  if (role === 'tool') {
    if (answeredAt(message, waiting) >= 0) return null
    return id === undefined || waiting.length === 0
      ? 'a result without a call. Put the message of the assistant that makes the call before it'
      : `"${id.slice(0, 60)}" is not the id of a call that waits for its result`
  }
  if (waiting.length > 0) return 'a call before this message has no result. Add a message of the role tool before it'
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
    return `${JSON.stringify(name.slice(0, 80))} is no name for a tool: letters, digits, _ . : -`
  return typeof given !== 'string' || isRecord(parsedJson(given)) ? null : 'the arguments are not a JSON object'
}

/** Index of the waiting call that a result answers; -1 for none. */
function answeredAt({ tool_call_id: id }: MessageDefinition, waiting: readonly { readonly id: string }[]): number {
  if (id === undefined) return waiting.length === 0 ? -1 : 0
  const named = waiting.findIndex((call) => call.id === id)
  // Ids may be left out at the calls.
  return named >= 0 ? named : waiting.findIndex((call) => call.id === '')
}

/** The messages as runs keep them: every call has an id and arguments as JSON text, every result names its call. */
export function earlierMessages(messages: readonly MessageDefinition[]): readonly EarlierMessage[] {
  let [count, waiting] = [0, [] as readonly (readonly [string, EarlierCall])[]]
  return messages.map((message): EarlierMessage => {
    const { role } = message
    const content = message.content ?? ''
    if (role === 'tool') {
      const at = answeredAt(
        message,
        waiting.map(([id]) => ({ id })),
      )
      const id = waiting[at]?.[1].id ?? ''
      waiting = waiting.filter((_, each) => each !== at)
      return { role, content, tool_call_id: id }
    }
    if (message.tool_calls === undefined) return { role, content }
    const calls = message.tool_calls.map(({ id = '', function: { name, arguments: given } }) => {
      count += 1
      const written = typeof given === 'string' ? given : dumps(fromPlain(given as PlainValue))
      const call: EarlierCall = {
        id: id === '' ? `call_${count}` : id,
        type: 'function',
        function: { name, arguments: written },
      }
      waiting = [...waiting, [id, call]]
      return call
    })
    return { role, content, tool_calls: calls }
  })
}
