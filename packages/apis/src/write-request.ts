import type { PyDict, PyValue } from '@callspec/python'
import { dictOf } from './events.ts'
import type { Api } from './laws.ts'
import type { ApiMessage, ApiRequest, ApiTool, HistoryCall } from './request.ts'

/** What a request needs beside what it asks. */
export interface RequestHead {
  readonly model: string
  readonly stream: boolean
  /** Other members, such as `temperature`, under the names of the API. */
  readonly others: PyDict
}

/** Messages require a limit. */
const DEFAULT_LIMIT = 4096n

/**
 * The body that asks for the same in an API. What an API cannot say is left out: stop words in responses; the error mark of a result
 * in chat and responses; the spelling of arguments in messages, and arguments that are no JSON object there become `{}`.
 */
export function writeRequest(request: ApiRequest, api: Api, { model, stream, others }: RequestHead): PyDict {
  const head: readonly Member[] = [
    ['model', model],
    ['stream', stream],
  ]
  const body = api === 'chat' ? chatBody(request, stream) : api === 'messages' ? blockBody(request) : inputBody(request)
  return new Map([...head, ...body.filter(([, value]) => value !== null), ...others])
}

type Member = readonly [name: string, value: PyValue]

/** A dict without the members that are null. */
function dict(...members: readonly Member[]): PyDict {
  return new Map(members.filter(([, value]) => value !== null))
}

function listOrNull(values: readonly PyValue[]): PyValue {
  return values.length === 0 ? null : values
}

function limitOf({ limit }: ApiRequest): bigint | null {
  return limit === null ? null : BigInt(limit)
}

function chatBody(request: ApiRequest, stream: boolean): readonly Member[] {
  const { messages, tools, choice, parallel, stop } = request
  const named = (name: string): PyValue => dict(['type', 'function'], ['function', dict(['name', name])])
  return [
    ['messages', messages.map(chatMessage)],
    ['tools', listOrNull(tools.map((tool) => dict(['type', 'function'], ['function', toolOf(tool, 'parameters')])))],
    ['tool_choice', choice === null || typeof choice === 'string' ? choice : named(choice.name)],
    ['parallel_tool_calls', parallel],
    ['max_completion_tokens', limitOf(request)],
    ['stop', listOrNull(stop)],
    ['stream_options', stream ? dict(['include_usage', true]) : null],
  ]
}

function toolOf({ name, description, parameters, strict }: ApiTool, schema: string): PyDict {
  const words = description === '' ? null : description
  return dict(['name', name], ['description', words], [schema, parameters], ['strict', strict ? true : null])
}

function chatMessage(message: ApiMessage): PyDict {
  switch (message.role) {
    case 'system':
      return dict(['role', 'system'], ['content', message.text])
    case 'user':
      return dict(['role', 'user'], ['content', userContent(message, { text: 'text', image: chatImage })])
    case 'tool':
      return dict(['role', 'tool'], ['tool_call_id', message.id], ['content', message.text])
    case 'assistant': {
      const { reasoning, text, calls } = message
      const members: readonly Member[] = [
        ['reasoning_content', reasoning === '' ? null : reasoning],
        ['tool_calls', listOrNull(calls.map(chatCall))],
      ]
      const content = text === '' && calls.length > 0 ? null : text
      return new Map([['role', 'assistant'], ['content', content], ...members.filter(([, value]) => value !== null)])
    }
  }
}

function chatCall(call: HistoryCall): PyDict {
  const called = dict(['name', call.name], ['arguments', call.arguments])
  return dict(['id', call.id], ['type', 'function'], ['function', called])
}

interface UserParts {
  /** The type of a part that is text. */
  readonly text: string
  readonly image: (address: string) => PyDict
}

function userContent({ text, images }: Extract<ApiMessage, { role: 'user' }>, parts: UserParts): PyValue {
  if (images.length === 0) return text
  const words = text === '' ? [] : [dict(['type', parts.text], ['text', text])]
  return [...words, ...images.map(parts.image)]
}

function chatImage(address: string): PyDict {
  return dict(['type', 'image_url'], ['image_url', dict(['url', address])])
}

function blockBody(request: ApiRequest): readonly Member[] {
  const { messages, tools, choice, parallel, stop } = request
  const system = messages.flatMap((message) => (message.role === 'system' ? message.text : []))
  const word = choice === 'required' ? 'any' : choice
  const kind = word === null ? 'auto' : typeof word === 'string' ? word : 'tool'
  const name = typeof word === 'object' ? (word?.name ?? null) : null
  const single = parallel === false ? true : null
  return [
    ['max_tokens', limitOf(request) ?? DEFAULT_LIMIT],
    ['system', system.length === 0 ? null : system.join('\n\n')],
    ['messages', blockMessages(messages)],
    ['tools', listOrNull(tools.map((tool) => toolOf(tool, 'input_schema')))],
    [
      'tool_choice',
      word === null && single === null
        ? null
        : dict(['type', kind], ['name', name], ['disable_parallel_tool_use', single]),
    ],
    ['stop_sequences', listOrNull(stop)],
  ]
}

/** Results and the user's text behind them are one message. */
function blockMessages(messages: readonly ApiMessage[]): readonly PyDict[] {
  const made: PyDict[] = []
  let user: PyValue[] = []
  const close = (): void => {
    const [first] = user
    const content = user.length === 1 && typeof first === 'string' ? first : user.map(textBlock)
    if (user.length > 0) made.push(dict(['role', 'user'], ['content', content]))
    user = []
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      if (user.some((block) => typeof block === 'string')) close()
      const error = message.isError ? true : null
      user.push(
        dict(['type', 'tool_result'], ['tool_use_id', message.id], ['is_error', error], ['content', message.text]),
      )
    } else if (message.role === 'user') {
      const content = userContent(message, { text: 'text', image: blockImage })
      user.push(...(typeof content === 'string' ? [content] : (content as readonly PyValue[])))
      close()
    } else if (message.role === 'assistant') {
      close()
      made.push(dict(['role', 'assistant'], ['content', assistantBlocks(message)]))
    }
  }
  close()
  return made
}

function textBlock(block: PyValue): PyValue {
  return typeof block === 'string' ? dict(['type', 'text'], ['text', block]) : block
}

function assistantBlocks({ reasoning, text, calls }: Extract<ApiMessage, { role: 'assistant' }>): readonly PyDict[] {
  return [
    ...(reasoning === '' ? [] : [dict(['type', 'thinking'], ['thinking', reasoning], ['signature', ''])]),
    ...(text === '' ? [] : [dict(['type', 'text'], ['text', text])]),
    ...calls.map(({ id, name, arguments: args }) =>
      dict(['type', 'tool_use'], ['id', id], ['name', name], ['input', dictOf(args) ?? new Map()]),
    ),
  ]
}

function blockImage(address: string): PyDict {
  const [, type, data] = /^data:([^;,]*);base64,([^]*)$/.exec(address) ?? []
  const source =
    data === undefined
      ? dict(['type', 'url'], ['url', address])
      : dict(['type', 'base64'], ['media_type', type ?? ''], ['data', data])
  return dict(['type', 'image'], ['source', source])
}

function inputBody(request: ApiRequest): readonly Member[] {
  const { messages, tools, choice, parallel } = request
  const [first, ...rest] = messages
  const hasInstructions = first?.role === 'system'
  const items = (hasInstructions ? rest : messages).flatMap(inputItems)
  const named = (name: string): PyValue => dict(['type', 'function'], ['name', name])
  return [
    ['instructions', hasInstructions ? first.text : null],
    ['input', items],
    [
      'tools',
      listOrNull(
        tools.map(
          (tool) =>
            new Map<string, PyValue>([['type', 'function'], ...toolOf(tool, 'parameters'), ['strict', tool.strict]]),
        ),
      ),
    ],
    ['tool_choice', choice === null || typeof choice === 'string' ? choice : named(choice.name)],
    ['parallel_tool_calls', parallel],
    ['max_output_tokens', limitOf(request)],
    // Nothing is kept on the server: every request brings the whole conversation.
    ['store', false],
  ]
}

function inputItems(message: ApiMessage): readonly PyDict[] {
  switch (message.role) {
    case 'system':
      return [dict(['role', 'system'], ['content', message.text])]
    case 'user':
      return [dict(['role', 'user'], ['content', userContent(message, { text: 'input_text', image: inputImage })])]
    case 'tool':
      return [dict(['type', 'function_call_output'], ['call_id', message.id], ['output', message.text])]
    case 'assistant': {
      const { reasoning, text, calls } = message
      const part = (type: string, words: string): readonly PyDict[] => [dict(['type', type], ['text', words])]
      return [
        ...(reasoning === ''
          ? []
          : [dict(['type', 'reasoning'], ['summary', []], ['content', part('reasoning_text', reasoning)])]),
        ...(text === ''
          ? []
          : [dict(['type', 'message'], ['role', 'assistant'], ['content', part('output_text', text)])]),
        ...calls.map((call) =>
          dict(['type', 'function_call'], ['call_id', call.id], ['name', call.name], ['arguments', call.arguments]),
        ),
      ]
    }
  }
}

function inputImage(address: string): PyDict {
  return dict(['type', 'input_image'], ['image_url', address], ['detail', 'auto'])
}
