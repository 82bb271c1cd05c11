import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { shortened } from '../../../shortened.ts'

import type { HttpAnswer } from '../api.ts'
import { errorText, firstChoice } from '../read-completion.ts'
import { isSaid, rawOf, tokenCount } from './raw-text.ts'

/** The longest text of a server that a message shows, in characters. */
const SHOWN = 200

/** What came of a text that an engine was made to say. */
export type SaidAnswer =
  | {
      readonly kind: 'read'
      readonly reading: PyDict
      readonly isVerified: boolean
      readonly tokens: readonly string[] | null
      readonly count: bigint | null
    }
  /** The engine's parser refuses the text. */
  | { readonly kind: 'refused'; readonly message: string; readonly isVerified: boolean }
  /** Nothing can be said about how it is read. */
  | { readonly kind: 'unsaid'; readonly reason: string; readonly isNone: boolean }
  /** It was said up to the most tokens that may be asked for. */
  | { readonly kind: 'too-long' }

/** What is known of a text before it is said. */
export interface Expectation {
  readonly text: string
  readonly ends: readonly string[]
  /** Whether ids of calls are part of the reply. */
  readonly hasIds: boolean
}

/** A whole answer: what was read, and whether the text really was said. */
export function saidAnswer(answer: HttpAnswer, { text, ends, hasIds }: Expectation): SaidAnswer {
  if (answer.kind === 'none') return { kind: 'unsaid', reason: answer.reason, isNone: true }
  if (answer.status >= 300) return refusedAnswer(fullMessage(answer), { text, status: answer.status })
  const message = answer.kind === 'json' ? firstChoice(answer.value)?.get('message') : null
  if (answer.kind !== 'json' || !isDict(message)) {
    return { kind: 'unsaid', reason: 'answered with something else than a completion', isNone: false }
  }
  const raw = rawOf(answer.value, ends)
  const isCut = firstChoice(answer.value)?.get('finish_reason') === 'length'
  if (isCut && (raw === null || (raw.text.length < text.length && text.startsWith(raw.text))))
    return { kind: 'too-long' }
  if (raw !== null && !isSaid(text, raw.text)) return unsaid(raw.text)
  return {
    kind: 'read',
    reading: readingOfMessage(message, hasIds),
    isVerified: raw !== null,
    tokens: raw?.tokens ?? null,
    count: tokenCount(answer.value),
  }
}

/** A refusal: that of a text shows it, that of a request does not. */
export function refusedAnswer(
  message: string,
  { text, status }: { readonly text: string; readonly status: number },
): SaidAnswer {
  if (showsText(message, text)) return { kind: 'refused', message: shortened(message, SHOWN), isVerified: true }
  if (status >= 500) return { kind: 'refused', message: shortened(message, SHOWN), isVerified: false }
  return { kind: 'unsaid', reason: `refused the request with ${status}: ${shortened(message, SHOWN)}`, isNone: false }
}

function unsaid(raw: string): SaidAnswer {
  const what = `something else: ${JSON.stringify(shortened(raw, SHOWN))}`
  return { kind: 'unsaid', reason: `was made to say the text, and said ${what}`, isNone: false }
}

/** llama.cpp shows what it could not read any more: the end of the text. */
function showsText(message: string, text: string): boolean {
  if (text.trim() === '') return false
  if (message.includes(text.trim())) return true
  const rest = /at pos \d+: ([^]+)$/.exec(message)?.[1]?.trim() ?? ''
  return rest !== '' && text.trimEnd().endsWith(rest)
}

function fullMessage(answer: Exclude<HttpAnswer, { kind: 'none' }>): string {
  if (answer.kind === 'other') return answer.text
  const error = answer.value.get('error')
  const message = isDict(error) ? error.get('message') : error
  return typeof message === 'string' ? message : errorText(answer)
}

function readingOfMessage(message: PyDict, hasIds: boolean): PyDict {
  const calls = message.get('tool_calls')
  return new Map<string, PyValue>([
    ['content', message.get('content') ?? null],
    ['reasoning', message.get('reasoning_content') ?? message.get('reasoning') ?? null],
    ['calls', (isList(calls) ? calls : []).map((call) => callOf(call, hasIds))],
  ])
}

/** A call of the API in the form of `parse`. */
export function callOf(call: PyValue, hasIds: boolean): PyValue {
  const made = isDict(call) ? call.get('function') : null
  if (!isDict(call) || !isDict(made)) return call
  const id = call.get('id')
  return new Map<string, PyValue>([
    ...(hasIds && typeof id === 'string' ? [['id', id] as const] : []),
    ['name', made.get('name') ?? null],
    ['arguments', made.get('arguments') ?? null],
  ])
}
