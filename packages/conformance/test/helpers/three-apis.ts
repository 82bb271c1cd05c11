import type { ServerResponse } from 'node:http'
import { readRequest } from '@callspec/apis'
import type { Api, ApiRequest } from '@callspec/apis'
import { formatNamed } from '@callspec/core'
import { fromPlain } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'
import { json, serve } from './servers.ts'
import type { TestServer } from './servers.ts'

/** What a server over three APIs does otherwise than a right one. */
export interface Spoilt {
  /** APIs that it does not have. */
  readonly lacks?: readonly Api[]
  /** Changes what it read, before it is written in the form of the API. */
  readonly reads?: (
    reading: ServedReading,
    how: { readonly api: Api; readonly stream: boolean; readonly asked: ApiRequest },
  ) => ServedReading
  /** Changes the body that is sent. */
  readonly sends?: (body: string, how: { readonly api: Api; readonly stream: boolean }) => string
  /** What it makes a prompt of. */
  readonly prompts?: (asked: ApiRequest, api: Api) => string
  /** Whether it shows prompts. Default: it does. */
  readonly hidesPrompts?: boolean
  /** Never ends a stream of this API. */
  readonly endless?: Api
}

/** A reading of a reply in a server. */
export interface ServedReading {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly json: string }[]
  readonly isCut: boolean
}

const END = '<|im_end|>'
const DISTANCE = 1200

/** A token per byte, and one for the end of a turn. */
function tokensOf(text: string): readonly string[] {
  return text.split(END).flatMap((part, at) => [...(at === 0 ? [] : [END]), ...Buffer.from(part).toString('latin1')])
}

/**
 * A server of nous over three APIs, with a model that repeats what its prompt has 1,200 tokens before, as `repeating_model.py` makes one. By
 * itself it breaks no law; `spoilt` says what it does otherwise.
 */
export async function threeApis(spoilt: Spoilt = {}): Promise<TestServer> {
  let last = { id_task: 0, prompt: '', generated: '' }
  const paths: Readonly<Record<string, Api>> = {
    '/v1/chat/completions': 'chat',
    '/v1/messages': 'messages',
    '/v1/responses': 'responses',
  }
  return serve((path, given, response) => {
    if (path === '/v1/models') return json(response, 200, { data: [{ id: 'repeater' }] })
    if (path === '/props') return json(response, 200, { eos_token: END, version: '1' })
    const body = fromPlain(given as PlainValue) as PyDict
    if (path === '/tokenize')
      return json(response, 200, { tokens: tokensOf(String(body.get('content'))).map((_, at) => at) })
    if (path === '/slots' && spoilt.hidesPrompts !== true) return json(response, 200, [last])
    const api = paths[path]
    if (api === undefined || spoilt.lacks?.includes(api) === true) return undefined
    const asked = readRequest(body, api)
    const stream = body.get('stream') === true
    const prompt = (spoilt.prompts ?? promptOf)(asked, api)
    const all = saidAfter(asked)
    const said = all.slice(0, asked.limit ?? undefined)
    const text = Buffer.from(said.join(''), 'latin1').toString('utf8')
    last = { id_task: last.id_task + 1, prompt, generated: text }
    const reading = readText(text, asked, said.length < all.length)
    const changed = spoilt.reads?.(reading, { api, stream, asked }) ?? reading
    const usage = { input: tokensOf(prompt).length, output: said.length }
    const sent = stream ? STREAMS[api](changed, usage) : wholeText(WHOLES[api](changed, usage))
    const type = stream ? 'text/event-stream' : 'application/json'
    response.writeHead(200, { 'content-type': type })
    response.write(spoilt.sends?.(sent, { api, stream }) ?? sent)
    if (stream && spoilt.endless === api) return endlessly(response)
    response.end()
    return undefined
  })
}

async function endlessly(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(': ping\n\n')
    await new Promise((settle) => setTimeout(settle, 20))
  }
}

/** The tokens of the last message from `DISTANCE` before its end, up to the end of a turn. */
function saidAfter({ messages }: ApiRequest): readonly string[] {
  const final = messages.at(-1)
  const tokens = tokensOf(final?.role === 'user' ? final.text : '')
  const from = Math.max(0, tokens.length - DISTANCE)
  const end = tokens.indexOf(END, from)
  return tokens.slice(from, end < 0 ? undefined : end)
}

function promptOf(asked: ApiRequest): string {
  const { messages, tools } = asked
  const shown = messages.map((message) =>
    'calls' in message ? { ...message, calls: message.calls.map(valueCall) } : message,
  )
  return JSON.stringify([shown, tools.map(({ name }) => name)])
}

function valueCall({
  id,
  name,
  arguments: args,
}: {
  readonly id: string
  readonly name: string
  readonly arguments: string
}): object {
  return { id, name, args: JSON.parse(args) as unknown }
}

function readText(text: string, { tools, choice, parallel }: ApiRequest, isCut: boolean): ServedReading {
  const items = tools.length === 0 || choice === 'none' ? null : (formatNamed('nous')?.read(text).items ?? [])
  if (items === null) return { text, calls: [], isCut }
  const calls = items.flatMap((item, at) =>
    item.kind === 'call' ? [{ id: `call_${at}`, name: item.name, json: item.arguments }] : [],
  )
  const named = typeof choice === 'object' && choice !== null ? choice.name : null
  const allowed = calls
    .filter(({ name }) => named === null || name === named)
    .slice(0, parallel === false ? 1 : undefined)
  const first = allowed.length === 0 && named !== null ? [{ id: 'call_0', name: named, json: '{}' }] : allowed
  return { text: items.flatMap((item) => (item.kind === 'text' ? item.text : [])).join(''), calls: first, isCut }
}

interface Used {
  readonly input: number
  readonly output: number
}

type Whole = (reading: ServedReading, usage: Used) => object
type Stream = (reading: ServedReading, usage: Used) => string

const WHOLES: Readonly<Record<Api, Whole>> = {
  chat: ({ text, calls, isCut }, { input, output }) => ({
    ...{ id: 'a', model: 'm', created: 1, object: 'chat.completion' },
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(chatCall) }),
        },
        finish_reason: isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: input, completion_tokens: output },
  }),
  messages: ({ text, calls, isCut }, { input, output }) => ({
    ...{ id: 'a', model: 'm', type: 'message', role: 'assistant' },
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      // Arguments keep their spelling: the values are put into the text of the reply.
      ...calls.map(({ id, name, json: args }) => ({ type: 'tool_use', id, name, input: `<<${wholeJson(args)}>>` })),
    ],
    ...{ stop_reason: isCut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { input_tokens: input, output_tokens: output },
  }),
  responses: (reading, usage) => responseOf(reading, usage),
}

function wholeText(reply: object): string {
  return JSON.stringify(reply).replace(/"<<(.*?)>>"/g, (_, inside: string) => String(JSON.parse(`"${inside}"`)))
}

/** Arguments that were cut do not count. */
function wholeJson(args: string): string {
  try {
    JSON.parse(args)
    return args
  } catch {
    return '{}'
  }
}

function chatCall({ id, name, json: args }: ServedReading['calls'][number]): object {
  return { id, type: 'function', function: { name, arguments: args } }
}

function responseOf({ text, calls, isCut }: ServedReading, { input, output }: Used): Record<string, unknown> {
  const status = isCut ? 'incomplete' : 'completed'
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status, content: [outputText(text)] }
  return {
    ...{ id: 'resp_1', object: 'response', status, model: 'm' },
    ...{ incomplete_details: isCut ? { reason: 'max_output_tokens' } : null },
    output: [...(text === '' ? [] : [message]), ...calls.map((call) => functionCall(call, status))],
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  }
}

function outputText(text: string): object {
  return { type: 'output_text', text, annotations: [] }
}

function functionCall(
  { id, name, json: args }: ServedReading['calls'][number],
  status: string,
): Record<string, unknown> {
  return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: args, status }
}

function halves(text: string): readonly string[] {
  const letters = Array.from(text)
  const middle = Math.ceil(letters.length / 2)
  return [letters.slice(0, middle), letters.slice(middle)].map((part) => part.join('')).filter((part) => part !== '')
}

const STREAMS: Readonly<Record<Api, Stream>> = {
  chat: ({ text, calls, isCut }, { input, output }) => {
    const head = { id: 'a', model: 'm', created: 1, object: 'chat.completion.chunk' }
    const delta = (each: object, finish: string | null = null): object => {
      return { ...head, choices: [{ index: 0, delta: each, finish_reason: finish }] }
    }
    const usage = { prompt_tokens: input, completion_tokens: output }
    const chunks = [
      delta({ role: 'assistant', content: '' }),
      ...halves(text).map((content) => delta({ content })),
      ...calls.flatMap((call, index) => [
        delta({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
        ...halves(call.json).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      delta({}, isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'),
      { ...head, choices: [], usage },
    ]
    return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
  },
  messages: (reading, usage) => {
    const whole = WHOLES.messages(reading, usage) as Record<string, unknown>
    const started = { ...whole, content: [], stop_reason: null, usage: { input_tokens: usage.input, output_tokens: 0 } }
    const block = (index: number, start: object, deltas: readonly object[]): readonly ServerEvent[] => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
    const texts = reading.text === '' ? 0 : 1
    return named([
      { type: 'message_start', message: started },
      ...(texts === 0
        ? []
        : block(
            0,
            { type: 'text', text: '' },
            halves(reading.text).map((text) => ({ type: 'text_delta', text })),
          )),
      ...reading.calls.flatMap(({ id, name, json: args }, at) =>
        block(
          texts + at,
          { type: 'tool_use', id, name, input: {} },
          halves(args).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
        ),
      ),
      {
        type: 'message_delta',
        delta: { stop_reason: whole['stop_reason'], stop_sequence: null },
        usage: { output_tokens: usage.output },
      },
      { type: 'message_stop' },
    ])
  },
  responses: (reading, usage) => {
    const final = responseOf(reading, usage)
    const open = { ...final, status: 'in_progress', output: [], usage: null, incomplete_details: null }
    const texts = reading.text === '' ? 0 : 1
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    const items = final['output'] as readonly Record<string, unknown>[]
    const item = items[0] ?? {}
    const calls = items.slice(texts)
    const events = [
      { type: 'response.created', response: open },
      { type: 'response.in_progress', response: open },
      ...(texts === 0
        ? []
        : [
            {
              type: 'response.output_item.added',
              output_index: 0,
              item: { ...item, status: 'in_progress', content: [] },
            },
            { type: 'response.content_part.added', ...place, part: outputText('') },
            ...halves(reading.text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
            { type: 'response.output_text.done', ...place, text: reading.text },
            { type: 'response.content_part.done', ...place, part: outputText(reading.text) },
            { type: 'response.output_item.done', output_index: 0, item },
          ]),
      ...calls.flatMap((call, at) => {
        const own = { item_id: call['id'], output_index: texts + at }
        const args = String(call['arguments'])
        const added = { ...call, status: 'in_progress', arguments: '' }
        return [
          { type: 'response.output_item.added', output_index: texts + at, item: added },
          ...halves(args).map((delta) => ({ type: 'response.function_call_arguments.delta', ...own, delta })),
          { type: 'response.function_call_arguments.done', ...own, arguments: args, name: call['name'] },
          { type: 'response.output_item.done', output_index: texts + at, item: call },
        ]
      }),
      { type: reading.isCut ? 'response.incomplete' : 'response.completed', response: final },
    ]
    return named(events.map((event, at) => ({ ...event, sequence_number: at })))
  },
}

interface ServerEvent {
  readonly type: string
  readonly [member: string]: unknown
}

function named(events: readonly ServerEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
