import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict } from '@callspec/python'
import { dictOr, indexOr, listOr, textOr } from './events.ts'
import type { Api } from './laws.ts'
import { spelled } from './reply.ts'

/** A call in the history. `arguments` is JSON; messages keep its value, not its spelling. */
export interface HistoryCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** A message of a conversation, as every API can say it. Texts of several parts are joined without anything between. */
export type ApiMessage =
  | { readonly role: 'system'; readonly text: string }
  /** `images`: their addresses, `data:` or others. */
  | { readonly role: 'user'; readonly text: string; readonly images: readonly string[] }
  | {
      readonly role: 'assistant'
      readonly reasoning: string
      readonly text: string
      readonly calls: readonly HistoryCall[]
    }
  /** `isError` is known in messages only. */
  | { readonly role: 'tool'; readonly id: string; readonly text: string; readonly isError: boolean }

/** A tool that a model may call. Tools that the server runs itself have no parameters and are left out. */
export interface ApiTool {
  readonly name: string
  readonly description: string
  /** A JSON Schema; null without one. */
  readonly parameters: PyDict | null
  readonly strict: boolean
}

/** What a request asks for. */
export interface ApiRequest {
  readonly messages: readonly ApiMessage[]
  readonly tools: readonly ApiTool[]
  /** Whether and which tool must be called; null without a choice. */
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string } | null
  /** Whether one reply may hold several calls; null if the request does not say. */
  readonly parallel: boolean | null
  /** The most tokens of the reply; null without a limit. */
  readonly limit: number | null
  /** Responses have none. */
  readonly stop: readonly string[]
}

/** The request in a body. Unknown members and parts are ignored, as servers do. */
export function readRequest(body: PyDict, api: Api): ApiRequest {
  switch (api) {
    case 'chat':
      return {
        messages: listOr(body.get('messages')).flatMap((given) => chatMessage(dictOr(given))),
        tools: listOr(body.get('tools')).flatMap((given) =>
          toolIn(dictOr(dictOr(given)?.get('function')), 'parameters'),
        ),
        choice: choiceIn(body.get('tool_choice')),
        parallel: booleanOr(body.get('parallel_tool_calls')),
        limit: indexOr(body.get('max_completion_tokens')) ?? indexOr(body.get('max_tokens')),
        stop: textsIn(body.get('stop')),
      }
    case 'messages': {
      const choice = dictOr(body.get('tool_choice'))
      const isSingle = booleanOr(choice?.get('disable_parallel_tool_use'))
      return {
        messages: [
          ...systemOf(body.get('system')),
          ...listOr(body.get('messages')).flatMap((given) => blockMessages(dictOr(given))),
        ],
        tools: listOr(body.get('tools')).flatMap((given) => toolIn(dictOr(given), 'input_schema')),
        choice: choiceIn(choice),
        parallel: isSingle === null ? null : !isSingle,
        limit: indexOr(body.get('max_tokens')),
        stop: textsIn(body.get('stop_sequences')),
      }
    }
    case 'responses':
      return {
        messages: [...systemOf(body.get('instructions')), ...inputMessages(body.get('input'))],
        tools: listOr(body.get('tools')).flatMap((given) => {
          const tool = dictOr(given)
          return tool?.get('type') === 'function' ? toolIn(tool, 'parameters') : []
        }),
        choice: choiceIn(body.get('tool_choice')),
        parallel: booleanOr(body.get('parallel_tool_calls')),
        limit: indexOr(body.get('max_output_tokens')),
        stop: [],
      }
  }
}

function booleanOr(value: PyValue | undefined): boolean | null {
  return typeof value === 'boolean' ? value : null
}

function textsIn(value: PyValue | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : listOr(value).filter((each) => typeof each === 'string')
}

/** `any` is what messages call `required`. */
function choiceIn(value: PyValue | undefined): ApiRequest['choice'] {
  const choice = dictOr(value)
  const name = textOr(dictOr(choice?.get('function'))?.get('name')) || textOr(choice?.get('name'))
  if (name !== '') return { name }
  const word = choice === null ? value : choice.get('type')
  if (word === 'any') return 'required'
  return word === 'auto' || word === 'none' || word === 'required' ? word : null
}

function toolIn(tool: PyDict | null, schema: string): readonly ApiTool[] {
  const name = textOr(tool?.get('name'))
  if (tool === null || name === '') return []
  const parameters = dictOr(tool.get(schema))
  // Tools that Anthropic runs itself have a type and no schema.
  if (parameters === null && schema === 'input_schema') return []
  return [{ name, description: textOr(tool.get('description')), parameters, strict: tool.get('strict') === true }]
}

/** The texts of parts of any API, joined. */
function textIn(content: PyValue | undefined): string {
  return typeof content === 'string'
    ? content
    : listOr(content)
        .map((part) => textOr(dictOr(part)?.get('text')))
        .join('')
}

function imagesIn(content: PyValue | undefined): readonly string[] {
  return listOr(content).flatMap((given) => {
    const part = dictOr(given)
    const image = part?.get('image_url')
    const source = dictOr(part?.get('source'))
    if (source !== null) {
      const data = `data:${textOr(source.get('media_type'))};base64,${textOr(source.get('data'))}`
      return [source.get('type') === 'base64' ? data : textOr(source.get('url'))]
    }
    const address = isDict(image) ? image.get('url') : image
    return typeof address === 'string' ? [address] : []
  })
}

function systemOf(content: PyValue | undefined): readonly ApiMessage[] {
  const text = textIn(content)
  return text === '' ? [] : [{ role: 'system', text }]
}

function chatMessage(message: PyDict | null): readonly ApiMessage[] {
  const content = message?.get('content')
  switch (message?.get('role')) {
    case 'system':
    case 'developer':
      return [{ role: 'system', text: textIn(content) }]
    case 'user':
      return [{ role: 'user', text: textIn(content), images: imagesIn(content) }]
    case 'assistant': {
      const reasoning = textOr(message?.get('reasoning_content')) || textOr(message?.get('reasoning'))
      const calls = listOr(message?.get('tool_calls')).map((given) => {
        const call = dictOr(given)
        const called = dictOr(call?.get('function'))
        return {
          id: textOr(call?.get('id')),
          name: textOr(called?.get('name')),
          arguments: spelled(called?.get('arguments')),
        }
      })
      return [{ role: 'assistant', reasoning, text: textIn(content), calls }]
    }
    case 'tool':
      return [{ role: 'tool', id: textOr(message?.get('tool_call_id')), text: textIn(content), isError: false }]
    default:
      return []
  }
}

/** A user message of blocks: its results, which come first, then its text. */
function blockMessages(message: PyDict | null): readonly ApiMessage[] {
  const content = message?.get('content')
  const blocks = listOr(content).flatMap((given) => dictOr(given) ?? [])
  const ofType = (type: string): readonly PyDict[] => blocks.filter((block) => block.get('type') === type)
  if (message?.get('role') === 'assistant') {
    const calls = ofType('tool_use').map((block) => {
      return {
        id: textOr(block.get('id')),
        name: textOr(block.get('name')),
        arguments: dumps(block.get('input') ?? null),
      }
    })
    const reasoning = ofType('thinking')
      .map((block) => textOr(block.get('thinking')))
      .join('')
    const text = typeof content === 'string' ? content : textIn(ofType('text'))
    return [{ role: 'assistant', reasoning, text, calls }]
  }
  if (message?.get('role') !== 'user') return message?.get('role') === 'system' ? systemOf(content) : []
  const results = ofType('tool_result').map((block) => {
    const isError = block.get('is_error') === true
    return { role: 'tool', id: textOr(block.get('tool_use_id')), text: textIn(block.get('content')), isError } as const
  })
  const text = typeof content === 'string' ? content : textIn(ofType('text'))
  const images = imagesIn(ofType('image'))
  const hasWords = text !== '' || images.length > 0 || results.length === 0
  return [...results, ...(hasWords ? [{ role: 'user', text, images } as const] : [])]
}

/** Items of a conversation. Reasoning, message and calls that follow one another are one turn. */
function inputMessages(input: PyValue | undefined): readonly ApiMessage[] {
  if (typeof input === 'string') return [{ role: 'user', text: input, images: [] }]
  const messages: ApiMessage[] = []
  let turn: { reasoning: string; text: string; readonly calls: HistoryCall[] } | null = null
  const open = (): NonNullable<typeof turn> => (turn ??= { reasoning: '', text: '', calls: [] })
  const close = (): void => {
    if (turn !== null) messages.push({ role: 'assistant', ...turn })
    turn = null
  }
  for (const given of listOr(input)) {
    const item = dictOr(given)
    const type = item?.get('type') ?? 'message'
    const content = item?.get('content')
    if (type === 'reasoning') open().reasoning += textIn(content) || textIn(item?.get('summary'))
    else if (type === 'function_call') {
      const [id, name] = [textOr(item?.get('call_id')), textOr(item?.get('name'))]
      open().calls.push({ id, name, arguments: spelled(item?.get('arguments')) })
    } else if (type === 'message' && item?.get('role') === 'assistant') open().text += textIn(content)
    else {
      close()
      if (type === 'function_call_output')
        messages.push({
          role: 'tool',
          id: textOr(item?.get('call_id')),
          text: textIn(item?.get('output')),
          isError: false,
        })
      else if (type === 'message') messages.push(...chatMessage(item))
    }
  }
  close()
  return messages
}
