import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import { foldDeltas } from '../../../normal-items.ts'
import { deltaOf, dictIn, eventsIn, firstChoice } from '../read-completion.ts'
import type { HttpAnswer } from '../api.ts'
import { tokenCount } from './raw-text.ts'
import { callOf } from './said-answer.ts'
import { plural } from '../../../plural.ts'

/** What a stream came to. */
export interface StreamReading {
  /** What its user makes of it: the deltas folded. */
  readonly folded: PyDict
  /** What the engine itself says that it read, where it says so; its deltas are then somebody else's. */
  readonly snapshot: PyDict | null
  /** How often the engine read something before that it did not read afterwards. */
  readonly takenBack: number
  /** The text as it was said, where the engine shows it. */
  readonly raw: string | null
  readonly tokens: bigint | null
  /** An error that came as an event. */
  readonly error: string | null
  /** Where the stream is not one that a user can fold. */
  readonly problems: readonly string[]
}

/** Reads an answer as a stream, with the ids of calls where they are part of the reply; null for one that is none. */
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
    folded: hasIds ? withIds(folded, idsIn(deltas)) : folded,
    snapshot: isDict(snapshot) ? readingOf(snapshot, hasIds) : null,
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
  for (const call of deltas.flatMap((delta) => listOr(delta.get('tool_calls'))).filter(isDict)) {
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

/** The id of each call is said once, where it begins. */
function idsIn(deltas: readonly PyDict[]): ReadonlyMap<PyValue | undefined, PyValue> {
  const calls = deltas.flatMap((delta) => listOr(delta.get('tool_calls'))).filter(isDict)
  const begun = calls.filter((call) => typeof call.get('id') === 'string' && call.get('id') !== '')
  return new Map(begun.map((call) => [call.get('index'), call.get('id') ?? null]))
}

function withIds(folded: PyDict, ids: ReadonlyMap<PyValue | undefined, PyValue>): PyDict {
  const calls = listOr(folded.get('calls')).map((call, at) => {
    const id = ids.get(BigInt(at))
    return isDict(call) && id !== undefined ? new Map([['id', id], ...call]) : call
  })
  return new Map([...folded, ['calls', calls]])
}

/** A reading of the engine in the form of `parse`. */
function readingOf(snapshot: PyDict, hasIds: boolean): PyDict {
  const calls = listOr(snapshot.get('tool_calls')).map((call) => callOf(call, hasIds))
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

function listOr(value: PyValue | undefined): readonly PyValue[] {
  return isList(value) ? value : []
}
