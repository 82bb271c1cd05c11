import type { Completion } from './completion.ts'
import type { CallText } from './render.ts'
import type { TransportEffects } from './transport.ts'

/** The OpenAI API of the request: chat or text completions. */
export type Api = 'chat' | 'completions'

/** A completion and the options of its wire form. */
export interface WireOptions {
  readonly api: Api
  readonly manners: TransportEffects['manners']
}

type Fields = Readonly<Record<string, unknown>>

/** The completion as one JSON object. */
export function wholeBody(completion: Completion, { api, manners }: WireOptions): Fields {
  const choices = choicesOf(manners, (index) => {
    const text = index === 0 ? completion.text : OTHER_CHOICE
    const said = api === 'chat' ? { message: message(completion, text, manners) } : { text }
    return { index, ...said, logprobs: null, finish_reason: completion.finishReason }
  })
  const object = api === 'chat' ? 'chat.completion' : 'text_completion'
  return { ...head(object, completion), choices, ...usageOf(completion, manners) }
}

/** The completion as the objects of a stream, in order, each as JSON. */
export function streamBodies(completion: Completion, { api, manners }: WireOptions): readonly string[] {
  // The common part is made once: a stream has hundreds of events.
  const shared = JSON.stringify(head(api === 'chat' ? 'chat.completion.chunk' : 'text_completion', completion))
  const body = (fields: Fields): string => `${shared.slice(0, -1)},${JSON.stringify(fields).slice(1)}`
  const event = (index: number, said: Fields, finish: string | null): string => {
    const choice = api === 'chat' ? { index, delta: said } : { index, text: said['content'] ?? '' }
    return body({ choices: [{ ...choice, logprobs: null, finish_reason: finish }] })
  }
  const others = choicesOf(manners, (index) => index).filter((index) => index > 0)
  const usage = usageOf(completion, manners)
  return [
    event(0, { role: 'assistant', content: '' }, null),
    ...others.map((index) => event(index, { role: 'assistant', content: OTHER_CHOICE }, null)),
    ...deltas(completion, manners).map((delta) => event(0, delta, null)),
    ...others.map((index) => event(index, {}, 'stop')),
    event(0, {}, completion.finishReason),
    ...('usage' in usage ? [body({ choices: [], ...usage })] : []),
  ]
}

/** The stream as server-sent events, one text per event. */
export function framed(bodies: readonly string[], manners: TransportEffects['manners']): readonly string[] {
  const space = manners.has('no_space') ? '' : ' '
  const line = manners.has('crlf') ? '\r\n' : '\n'
  const comment = manners.has('comments') ? `: keep-alive${line}${line}` : ''
  const done = manners.has('no_done') ? [] : ['[DONE]']
  return [...bodies, ...done].map((data) => `${comment}data:${space}${data}${line}${line}`)
}

const OTHER_CHOICE = 'This is another choice.'

function head(object: string, { id, model }: Completion): Fields {
  // A fixed time: replies must be equal on every machine and every day.
  return { id, object, created: 0, model, system_fingerprint: 'sim-2' }
}

function usageOf({ usage: { prompt, completion } }: Completion, manners: TransportEffects['manners']): Fields {
  if (manners.has('no_usage')) return {}
  if (manners.has('usage_null')) return { usage: null }
  return { usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } }
}

/** With several choices the first one is last: not every server numbers them in order. */
function choicesOf<T>(manners: TransportEffects['manners'], choice: (index: number) => T): readonly T[] {
  const count = Math.min(100, Math.max(1, Number(manners.get('choices')?.[0] ?? 1)))
  return Array.from({ length: count }, (_, at) => choice(count - 1 - at))
}

function message({ thought, calls, id }: Completion, text: string, manners: TransportEffects['manners']): Fields {
  const isSilent = manners.has('null_content') || (calls.length > 0 && text === '')
  return {
    role: 'assistant',
    content: isSilent ? null : text,
    ...(thought === null ? {} : { [thoughtField(manners)]: thought }),
    ...(calls.length === 0 && manners.get('finish')?.[0] !== 'tool_calls'
      ? {}
      : { tool_calls: calls.map((call, index) => toolCall(call, { index, id, manners })) }),
  }
}

function thoughtField(manners: TransportEffects['manners']): string {
  return manners.get('reasoning')?.[0] ?? 'reasoning_content'
}

interface CallPlace {
  readonly index: number
  /** Of the completion. */
  readonly id: string
  readonly manners: TransportEffects['manners']
}

function toolCall({ name, arguments: text }: CallText, { index, id, manners }: CallPlace): Fields {
  return {
    id: callId(id, index),
    type: 'function',
    function: { name, arguments: manners.has('arguments_object') ? asObject(text) : text },
  }
}

function callId(id: string, index: number): string {
  return `call_${id.slice(id.lastIndexOf('-') + 1)}_${index}`
}

/** As servers send it that parse calls. */
function asObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : text
  } catch {
    return text
  }
}

function deltas(completion: Completion, manners: TransportEffects['manners']): readonly Fields[] {
  const { text, thought, calls, id } = completion
  const cut = (whole: string): readonly string[] => piecesOf(whole, manners.get('delta')?.[0])
  return [
    ...cut(thought ?? '').map((piece) => ({ [thoughtField(manners)]: piece })),
    ...cut(text).map((piece) => ({ content: piece })),
    ...calls.flatMap((call, index) => {
      const first = toolCall(call, { index, id, manners })
      if (manners.has('arguments_object')) return [{ tool_calls: [{ index, ...first }] }]
      const named = { ...first, function: { name: call.name, arguments: '' } }
      return [
        { tool_calls: [{ index, ...named }] },
        ...cut(call.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]
    }),
  ]
}

/** Code points per piece: few enough that marks are cut in the middle. */
const PIECE = 13

/** A text in pieces: of whole code points, or of so many UTF-16 units, which may split a pair of surrogates. */
function piecesOf(text: string, size: string | undefined): readonly string[] {
  if (text === '') return []
  if (size === 'whole') return [text]
  if (size !== undefined && size !== 'point') return slices(text, Math.max(1, Number(size) || 1))
  const points = [...text]
  const length = size === 'point' ? 1 : PIECE
  return Array.from({ length: Math.ceil(points.length / length) }, (_, at) =>
    points.slice(at * length, (at + 1) * length).join(''),
  )
}

function slices(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}
