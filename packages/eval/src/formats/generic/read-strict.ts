import { callsOf, isStrict } from '@callspec/core'
import { isDict, toPlain } from '@callspec/python'
import type { CallItem, Format, Reply, ReplyItem } from '@callspec/core'
import { NO_CALL } from '../../reading/call-block.ts'
import type { Problem, ReadCall, Reading, Repair } from '../../reading/call-block.ts'
import { readStrictJson } from '../../reading/lenient-json.ts'
import type { LenientValue } from '../../reading/lenient-json.ts'
import { readFormat } from './read-format.ts'
import type { ReadInput } from './read-format.ts'

/** The calls of a reply as the format's own reader has them: none where it says that something was not read as written. */
export function readStrict(format: Format, input: ReadInput): Reading {
  const reply = readFormat(format, input.text, input)
  const calls = callsOf(reply.items)
  const error = errorsOf(format, reply.items)[0]
  const meansCall = calls.length > 0 || input.means(input.text)
  const problem = error === undefined ? 'markers malformed' : problemOf(format, input.text, error)
  if (reply.error !== null) return unreadable(problem)
  // A partial marker at the end of an answer is not a call.
  if (error !== undefined && (meansCall || error.code !== 'marker-removed') && error.code !== ENCODED)
    return unreadable(problem)
  if (calls.length === 0) return meansCall ? unreadable('markers malformed') : NO_CALL
  return readArguments(calls, (given) => {
    const value = readStrictJson(given)
    return value === undefined ? null : { value, repairs: [] }
  })
}

/** Arguments that are a text have a label of their own, if an object is in it. */
const ENCODED = 'arguments-not-object'

/** Whether a reply holds a call, and lost nothing of what was meant. */
export function isSpoken({ items, error }: Reply): boolean {
  return error === null && callsOf(items).length > 0 && isStrict(items)
}

type Issue = Extract<ReplyItem, { kind: 'issue' }>

/** Errors of a reply. In formats whose replies are messages, other rules report an answer without calls and messages of other roles. */
export function errorsOf({ markers }: Format, items: readonly ReplyItem[]): readonly Issue[] {
  return items.flatMap((item) => {
    const isTold = markers.head !== undefined && item.kind === 'issue' && OF_MESSAGES.has(item.code)
    return item.kind === 'issue' && item.weight === 'harm' && !isTold ? [item] : []
  })
}

const OF_MESSAGES: ReadonlySet<string> = new Set(['markers-missing', 'text-dropped'])

/** A call is meant and cannot be read. */
export function unreadable(problem: Problem): Reading {
  return { intent: true, calls: null, repairs: [], problem }
}

/** Calls with their arguments as data; null for arguments that cannot be read. */
export function readArguments(calls: readonly CallItem[], read: (text: string) => LenientValue | null): Reading {
  const found: ReadCall[] = []
  const repairs: Repair[] = []
  for (const { name, arguments: given } of calls) {
    if (name === '') return unreadable('no name')
    const loose = read(given)
    if (loose === null) return unreadable('not JSON')
    const { value } = loose
    if (!isDict(value) && typeof value !== 'string') return unreadable('arguments are no object')
    repairs.push(...loose.repairs)
    found.push({ name, args: toPlain(value), exact: value })
  }
  return { intent: true, calls: found, repairs, problem: null }
}

function problemOf({ markers }: Format, text: string, { code, start, end }: Issue): Problem {
  switch (code) {
    case 'arguments-not-json':
    case 'body-not-readable':
    case 'call-not-json':
    case 'call-not-strict-json':
      return 'not JSON'
    case 'call-without-name':
      return isNamed(text.slice(start, end)) ? 'no arguments' : 'no name'
    case 'empty-name':
      return 'no name'
    case 'name-not-text':
      return 'name is no text'
    case 'call-without-arguments':
      return 'no arguments'
    case 'call-not-closed':
    case 'cut':
    case 'thought-not-closed':
    case 'value-not-closed':
      return markers.callEnd.length === 0 ? 'markers malformed' : 'tag not closed'
    default:
      return 'markers malformed'
  }
}

/** The issue is the same where a call lacks its name, and where it lacks its arguments. */
function isNamed(body: string): boolean {
  const value = readStrictJson(body.trim()) ?? null
  return isDict(value) && typeof value.get('name') === 'string'
}
