import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { foldDeltas } from '../../../comparison/deltas.ts'
import { plural, shortened } from '../../../comparison/visible.ts'
import { deltaOf, dictIn, errorText, eventsIn, firstChoice } from '../api.ts'
import type { HttpAnswer } from '../api.ts'

/** The longest text of a server that a message shows, in characters. */
const SHOWN_TEXT = 200

/** The answer of an engine that was made to generate a text. */
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
  /** Nothing can be said about how it is read. `isOther`: another text was generated. */
  | { readonly kind: 'unsaid'; readonly reason: string; readonly isNone: boolean; readonly isOther?: true }
  /** It was cut at the most tokens that may be requested. */
  | { readonly kind: 'too-long' }

export interface Expectation {
  readonly text: string
  readonly ends: readonly string[]
  /** Whether ids of calls are part of the reply. */
  readonly hasIds: boolean
}

/** A whole answer: what was read, and whether the text was really generated. */
export function saidAnswer(answer: HttpAnswer, { text, ends, hasIds }: Expectation): SaidAnswer {
  if (answer.kind === 'none') return { kind: 'unsaid', reason: answer.reason, isNone: true }
  if (answer.status >= 300) return refusedAnswer(fullMessage(answer), { text, status: answer.status })
  const message = answer.kind === 'json' ? firstChoice(answer.value)?.get('message') : null
  if (answer.kind !== 'json' || !isDict(message)) {
    return { kind: 'unsaid', reason: 'answered with something else than a completion', isNone: false }
  }
  const raw = rawText(answer.value, ends)
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
  if (showsText(message, text)) return { kind: 'refused', message: shortened(message, SHOWN_TEXT), isVerified: true }
  if (status >= 500) return { kind: 'refused', message: shortened(message, SHOWN_TEXT), isVerified: false }
  return {
    kind: 'unsaid',
    reason: `refused the request with ${status}: ${shortened(message, SHOWN_TEXT)}`,
    isNone: false,
  }
}

function unsaid(raw: string): SaidAnswer {
  const what = `something else: ${JSON.stringify(shortened(raw, SHOWN_TEXT))}`
  return { kind: 'unsaid', reason: `was made to say the text, and said ${what}`, isNone: false, isOther: true }
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
    ['calls', (isList(calls) ? calls : []).map((call) => callOfMessage(call, hasIds))],
  ])
}

/** A call of the API in the form of `parse`. */
export function callOfMessage(call: PyValue, hasIds: boolean): PyValue {
  const made = isDict(call) ? call.get('function') : null
  if (!isDict(call) || !isDict(made)) return call
  const id = call.get('id')
  return new Map<string, PyValue>([
    ...(hasIds && typeof id === 'string' ? [['id', id] as const] : []),
    ['name', made.get('name') ?? null],
    ['arguments', made.get('arguments') ?? null],
  ])
}

/** What an answer shows of what the model said, before anybody read it. */
export interface Raw {
  readonly text: string
  /** One text per token, as bytes in Latin-1; null where the engine does not show its tokens. */
  readonly tokens: readonly string[] | null
}

/** The text next to the reading, or the bytes of the tokens; null where neither is shown. */
export function rawText(completion: PyDict, ends: readonly string[]): Raw | null {
  const tokens = shownTokens(completion)
  const verbose = completion.get('__verbose')
  const content = isDict(verbose) ? verbose.get('content') : null
  if (typeof content === 'string') return { text: content, tokens }
  if (tokens === null) return null
  const text = Buffer.from(tokens.join(''), 'latin1').toString('utf8')
  const end = ends.find((each) => text.endsWith(each))
  return { text: end === undefined ? text : text.slice(0, -end.length), tokens }
}

/** Whether this text was generated, but for white space at its ends, which engines trim. */
export function isSaid(text: string, raw: string): boolean {
  return raw.trim() === text.trim()
}

/** The tokens of a reply, from its `logprobs`; null unless the bytes of each are known. */
function shownTokens(completion: PyDict): readonly string[] | null {
  const logprobs = firstChoice(completion)?.get('logprobs')
  const content = isDict(logprobs) ? logprobs.get('content') : null
  if (!isList(content)) return null
  // An empty text has no tokens, but for one that ends it; elsewhere an empty list says that they are not shown.
  if (content.length === 0 && (tokenCount(completion) ?? 2n) > 1n) return null
  const tokens = content.map(bytesOf)
  return tokens.every((token) => token !== null) ? tokens : null
}

function bytesOf(token: PyValue): string | null {
  const bytes = isDict(token) ? token.get('bytes') : null
  if (!isList(bytes)) return null
  const numbers = bytes.map(Number)
  return numbers.every((byte) => byte >= 0 && byte < 256) ? Buffer.from(numbers).toString('latin1') : null
}

/** `usage.completion_tokens`, or null. */
export function tokenCount(completion: PyDict): bigint | null {
  const usage = completion.get('usage')
  const count = isDict(usage) ? usage.get('completion_tokens') : null
  return typeof count === 'bigint' ? count : null
}

export interface StreamReading {
  /** What its user makes of it: the deltas folded. */
  readonly folded: PyDict
  /** What the engine itself says that it read, where it says so; the deltas are then those of our server. */
  readonly snapshot: PyDict | null
  /** How often the engine read something before that it did not read afterwards. */
  readonly takenBack: number
  /** The generated text, where the engine shows it. */
  readonly raw: string | null
  readonly tokens: bigint | null
  /** An error that came as an event. */
  readonly error: string | null
  /** Where the stream is not one that a user can fold. */
  readonly problems: readonly string[]
}

/** Reads an answer as a stream, with the ids of calls where they are part of the reply; null if it is not an answer. */
export function readStream(answer: HttpAnswer, hasIds: boolean): StreamReading | null {
  if (answer.kind !== 'other' || answer.status >= 300 || !answer.contentType.includes('text/event-stream')) return null
  const problems: string[] = []
  const events: PyDict[] = []
  for (const data of eventsIn(answer.text)) {
    const event = dictIn(data)
    if (event === null) problems.push('an event is no JSON map')
    else events.push(event)
  }
  const error = events.map((event) => event.get('error')).find((each) => each !== undefined)
  const deltas = events.flatMap((event) => {
    const delta = firstChoice(event)?.get('delta')
    return isDict(delta) ? [delta] : []
  })
  const folded = foldDeltas(deltas.map((delta) => new Map([['delta', deltaOf(delta)]])))
  const verbose = events.map((event) => event.get('__verbose')).findLast(isDict)
  const snapshot = verbose?.get('snapshot')
  const raw = verbose?.get('content')
  const counts = events.map(tokenCount).filter((count) => count !== null)
  return {
    folded: hasIds ? folded : withoutIds(folded),
    snapshot: isDict(snapshot) ? snapshotReading(snapshot, hasIds) : null,
    takenBack: Number(verbose?.get('taken_back') ?? 0),
    raw: typeof raw === 'string' ? raw : null,
    tokens: counts.at(-1) ?? null,
    error: error === undefined ? null : messageIn(error),
    problems: error === undefined ? [...problems, ...lawsBroken(events, deltas)] : [],
  }
}

/** What a client that folds deltas relies on. */
function lawsBroken(events: readonly PyDict[], deltas: readonly PyDict[]): readonly string[] {
  const problems: string[] = []
  const reasons = events
    .map((event) => firstChoice(event)?.get('finish_reason'))
    .filter((each) => typeof each === 'string')
  if (reasons.length !== 1) problems.push(`there are ${reasons.length} finish reasons`)
  const ids: string[] = []
  for (const call of deltas.flatMap((delta) => listOrEmpty(delta.get('tool_calls'))).filter(isDict)) {
    const [index, id] = [call.get('index'), call.get('id')]
    if (typeof index !== 'bigint' || index < 0n || index > BigInt(ids.length)) {
      problems.push(`a call has the index ${String(index)} where ${ids.length} were there before`)
    } else if (Number(index) === ids.length) {
      if (typeof id !== 'string' || id === '') problems.push(`the call ${index} begins without an id`)
      else if (ids.includes(id)) problems.push(`two calls have the id ${JSON.stringify(id)}`)
      ids.push(typeof id === 'string' ? id : '')
    } else if (typeof id === 'string' && id !== '' && id !== ids[Number(index)]) {
      problems.push(`the id of the call ${index} changes`)
    }
  }
  const [reason] = reasons
  if (reasons.length === 1 && (reason === 'tool_calls') !== ids.length > 0 && reason !== 'length') {
    problems.push(`the finish reason is ${String(reason)} with ${plural(ids.length, 'call')}`)
  }
  return problems.slice(0, 3)
}

/** Where ids are no part of a reply, those of the API are the server's own. */
function withoutIds(folded: PyDict): PyDict {
  const calls = listOrEmpty(folded.get('calls')).filter(isDict)
  const bare = calls.map((call) => new Map([...call].filter(([key]) => key !== 'id')))
  return new Map([...folded, ['calls', bare]])
}

/** A reading of the engine in the form of `parse`. */
function snapshotReading(snapshot: PyDict, hasIds: boolean): PyDict {
  const calls = listOrEmpty(snapshot.get('tool_calls')).map((call) => callOfMessage(call, hasIds))
  return new Map<string, PyValue>([
    ['content', snapshot.get('content') ?? null],
    ['reasoning', snapshot.get('reasoning_content') ?? null],
    ['calls', calls],
  ])
}

function messageIn(error: PyValue): string {
  const message = isDict(error) ? error.get('message') : error
  return typeof message === 'string' ? message : 'no message'
}

function listOrEmpty(value: PyValue | undefined): readonly PyValue[] {
  return isList(value) ? value : []
}
