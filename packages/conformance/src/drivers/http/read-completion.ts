import { InputError } from '@callspec/core'
import { isDict, isList } from '@callspec/python'
import type { PyDict, PyList, PyValue } from '@callspec/python'

import { readJson } from '../../case-file.ts'
import type { Reply } from '../../implementation.ts'
import { outputProblem } from '../../protocol/response.ts'
import { shortenedLine } from '../../shortened.ts'
import type { HttpAnswer } from './api.ts'

/** What a server made of a model's answer. */
export function replyOfCompletion(answer: HttpAnswer): Reply {
  if (answer.kind !== 'json' || answer.status >= 300) return refusal(answer)
  const message = firstChoice(answer.value)?.get('message')
  if (!isDict(message)) return errored('answered with JSON that is no completion: there is no choices[0].message')
  return checked('parse', new Map([...texts(message), ['calls', listOr(callsOf(message)).map(callOf)]]))
}

/** What a server streamed, as deltas. */
export function replyOfStream(answer: HttpAnswer): Reply {
  if (answer.kind !== 'other' || answer.status >= 300 || !answer.contentType.includes('text/event-stream')) {
    return refusal(answer)
  }
  const deltas: PyDict[] = []
  let ends = 0
  for (const data of eventsIn(answer.text)) {
    const event = dictIn(data)
    if (event === null) return errored(`streamed an event that is no JSON map: ${shortenedLine(data, SHOWN)}`)
    if (event.has('error')) return errored(`streamed an error: ${shortenedLine(data, SHOWN)}`)
    const choice = firstChoice(event)
    const delta = choice?.get('delta')
    if (typeof choice?.get('finish_reason') === 'string') ends += 1
    if (isDict(delta)) deltas.push(new Map([['delta', deltaOf(delta)]]))
  }
  if (ends !== 1) return errored(`streamed ${ends} finish reasons; there must be one`)
  return checked('stream', new Map([['deltas', deltas]]))
}

/** An answer that is none: an HTTP error is a rejection, everything else is broken. */
export function refusal(answer: HttpAnswer): Reply {
  if (answer.kind === 'none') return errored(answer.reason)
  if (answer.status >= 300) {
    return { kind: 'raised', error: { type: `HTTP ${answer.status}`, message: errorText(answer) } }
  }
  if (answer.kind === 'json') return errored('answered with one JSON map, although a stream was asked for')
  return errored(
    `answered with ${answer.contentType || 'something'} instead of JSON: ${shortenedLine(answer.text, SHOWN)}`,
  )
}

/** The words of an error answer, shortened. */
export function errorText(answer: HttpAnswer): string {
  if (answer.kind === 'none') return answer.reason
  if (answer.kind === 'other') return shortenedLine(answer.text, SHOWN)
  const error = answer.value.get('error') ?? answer.value.get('detail') ?? answer.value.get('message')
  const message = isDict(error) ? error.get('message') : error
  return typeof message === 'string' ? shortenedLine(message, SHOWN) : 'no message'
}

/** `choices[0]`, or null. */
export function firstChoice(value: PyDict): PyDict | null {
  const [choice] = listOr(value.get('choices'))
  return isDict(choice) ? choice : null
}

function checked(op: 'parse' | 'stream', value: PyDict): Reply {
  const problem = outputProblem(op, value)
  return problem === null ? { kind: 'returned', value } : errored(problem)
}

function texts(message: PyDict): [string, PyValue][] {
  return [
    ['content', message.get('content') ?? null],
    ['reasoning', message.get('reasoning_content') ?? message.get('reasoning') ?? null],
  ]
}

/** `function_call` is what `tool_calls` was called once. */
function callsOf(message: PyDict): PyValue {
  const old = message.get('function_call')
  const now = message.get('tool_calls') ?? null
  return now === null && isDict(old) ? [new Map([['function', old]])] : now
}

function callOf(call: PyValue): PyValue {
  const made = isDict(call) ? call.get('function') : null
  if (!isDict(made)) return call
  return new Map([
    ['name', made.get('name') ?? null],
    ['arguments', made.get('arguments') ?? null],
  ])
}

export function deltaOf(delta: PyDict): PyDict {
  const calls = listOr(callsOf(delta)).map((call) => {
    const made = callOf(call)
    const index = isDict(call) ? call.get('index') : undefined
    return isDict(made) ? new Map([...(index === undefined ? [] : [['index', index] as const]), ...made]) : made
  })
  return new Map([...texts(delta), ...(calls.length === 0 ? [] : [['calls', calls] as const])])
}

/** The data of server-sent events, without the end mark of the API. */
export function eventsIn(text: string): readonly string[] {
  const blocks = text.split(/\r?\n\r?\n/)
  const data = blocks.map((block) =>
    block
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).replace(/^ /, ''))
      .join('\n'),
  )
  return data.filter((each) => each !== '' && each !== '[DONE]')
}

/** The JSON map that a text holds, or null. */
export function dictIn(text: string): PyDict | null {
  try {
    const value = readJson(text, 'event')
    return isDict(value) ? value : null
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

function errored(reason: string): Reply {
  return { kind: 'errored', reason }
}

const SHOWN = 120

function listOr(value: PyValue | undefined): PyList {
  return isList(value) ? value : []
}
