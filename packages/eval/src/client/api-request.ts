import { API_PATHS, readRequest, writeRequest } from '@callspec/apis'
import type { Api } from '@callspec/apis'
import { dumps, fromPlain, isDict } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'

/** What `readRequest` reads, and what only chat completions have: anything else is sent under its own name. */
const READ: ReadonlySet<string> = new Set([
  ...[
    'model',
    'messages',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'max_tokens',
    'max_completion_tokens',
    'stop',
  ],
  ...[
    'stream',
    'stream_options',
    'seed',
    'n',
    'extra_body',
    'timeout',
    'logprobs',
    'frequency_penalty',
    'presence_penalty',
  ],
])

/** A request for a chat completion. */
interface ChatFields {
  readonly model: string
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The request in the form of another API: messages, tools, choice, limit and stop words, as far as the API has them. */
export function apiRequest(
  { messages, model, parameters }: ChatFields,
  api: Exclude<Api, 'chat'>,
  stream: boolean,
): { readonly path: string; readonly body: object } {
  const { extra_body: extra = {} } = parameters
  const asked = dictOf({ ...parameters, ...(extra as object), messages })
  const others: PyDict = new Map([...asked].filter(([name]) => !READ.has(name)))
  const body = writeRequest(readRequest(asked, 'chat'), api, { model, stream, others })
  return { path: API_PATHS[api], body: JSON.parse(dumps(body)) as object }
}

function dictOf(fields: Readonly<Record<string, unknown>>): PyDict {
  const value = fromPlain(fields as PlainValue)
  return isDict(value) ? value : new Map()
}
