import type { CallItem, Format, Reply, ReplyItem } from '@callspec/core'
import { callsOf, isStrict } from '@callspec/core'
import { isDict, toPlain } from '@callspec/python'
import type { Problem, ReadCall, Reading, Repair } from '../../reading/call-block.ts'
import { NO_CALL, unreadableCall } from '../../reading/call-block.ts'
import type { LenientValue } from '../../reading/lenient-json.ts'
import { readStrictJson, readLenientJson } from '../../reading/lenient-json.ts'
import type { ReadInput } from './read-format.ts'
import { readFormat, callRegions } from './read-format.ts'
import { repaired } from './repair.ts'

/** The calls of a reply as the format's own reader has them: none where it says that something was not read as written. */
export function readStrict(format: Format, input: ReadInput): Reading {
  const reply = readFormat(format, input.text, input)
  const calls = callsOf(reply.items)
  const error = errorsOf(format, reply.items)[0]
  const meansCall = calls.length > 0 || input.means(input.text)
  const problem = error === undefined ? 'markers malformed' : problemOf(format, input.text, error)
  if (reply.error !== null) return unreadableCall(problem)
  // A partial marker at the end of an answer is not a call.
  if (error !== undefined && (meansCall || error.code !== 'marker-removed') && error.code !== ENCODED)
    return unreadableCall(problem)
  if (calls.length === 0) return meansCall ? unreadableCall('markers malformed') : NO_CALL
  return readCallArguments(calls, (given) => {
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
export function errorsOf(format: Format, items: readonly ReplyItem[]): readonly Issue[] {
  const { markers, traits } = format
  const errors = items.flatMap((item) => (item.kind === 'issue' && item.weight === 'harm' ? [item] : []))
  if (endsInSection(format, items)) return errors.filter(({ code }) => code !== 'cut')
  if (markers.head === undefined) return errors
  if (!traits.typedValues) return errors.filter(({ code }) => code !== 'markers-missing' && code !== 'text-dropped')
  // Calls with tags of their own inside of a message: dropped text is no message, and without a call the reply ends in a head or thought.
  const hasOther = items.some((item) => item.kind === 'call' || (item.kind === 'issue' && item.code === 'text-dropped'))
  return errors.filter(({ code }) => code !== 'markers-missing' && (hasOther || code !== 'cut'))
}

/** Whether a reply is a text, and what closes the section around it is missing: an answer all the same. */
function endsInSection(format: Format, items: readonly ReplyItem[]): boolean {
  const said = items.filter(({ kind }) => kind !== 'issue')
  const last = said.at(-1)
  if (last?.kind !== 'text' || said.some(({ kind }) => kind === 'call') || format.markers.head !== undefined)
    return false
  return format.write([last]) !== last.text
}

/** Calls with their arguments as data; null for arguments that cannot be read. */
export function readCallArguments(calls: readonly CallItem[], read: (text: string) => LenientValue | null): Reading {
  const found: ReadCall[] = []
  const repairs: Repair[] = []
  for (const { name, arguments: given } of calls) {
    if (name === '') return unreadableCall('no name')
    const loose = read(given)
    if (loose === null) return unreadableCall('not JSON')
    const { value } = loose
    if (!isDict(value) && typeof value !== 'string') return unreadableCall('arguments are no object')
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

/**
 * The calls of a reply under the named repairs of `REPAIRS`: as given where only arguments have to be read loosely, with
 * markers inside of strings as text, and else with the text put right. It is the format's reader that reads, each time.
 */
export function readLenient(format: Format, input: ReadInput): Reading {
  const asGiven = readQuoted(format, input, [])
  if (asGiven !== null) return asGiven
  const { text, repairs } = repaired(format, input.text)
  // What needed no repair has just been read.
  if (text === input.text && repairs.length === 0) return readStrict(format, input)
  return readQuoted(format, { ...input, text }, repairs) ?? readStrict(format, input)
}

/** As the reader has it, or else with markers inside of strings as text. */
function readQuoted(format: Format, input: ReadInput, made: readonly Repair[]): Reading | null {
  const read = readLoosely(format, input, made)
  if (read !== null || !quotesMarker(format, input)) return read
  return readLoosely(format, { ...input, version: STRICT_VERSION }, [...made, 'quoted-marker'])
}

const STRICT_VERSION = 'strict'

/** Whether a version that knows strings could distinguish a marker in a string from a marker of the format. */
function quotesMarker(format: Format, { text, version }: ReadInput): boolean {
  const { versions, markers } = format
  if ((version ?? versions[0]) === STRICT_VERSION || !versions.includes(STRICT_VERSION)) return false
  const marks = [...markers.callStart, ...markers.callEnd]
  return callRegions(format, text).some(({ body, bodyEnd }) => {
    const inside = text.slice(body, bodyEnd)
    return marks.some((mark) => inside.includes(mark))
  })
}

/** Null where calls are missing, or cannot be read. */
function readLoosely(format: Format, input: ReadInput, made: readonly Repair[]): Reading | null {
  const { items, error } = readFormat(format, input.text, input)
  const calls = callsOf(items)
  const errors = errorsOf(format, items)
  const isRepaired = made.length > 0
  if (error !== null || calls.length === 0) return null
  if (!errors.every(({ code }) => TOLERATED.has(code) || (isRepaired && code === JSON5_READ))) return null
  const read = readCallArguments(calls, readLoose)
  // Truncated arguments do not become complete because the reader dropped the text after their last bracket.
  if (read.repairs.includes('closing-bracket') && items.some(dropsText)) return null
  const seen = errors.flatMap(({ code }) => TOLERATED.get(code) ?? [])
  return read.calls === null ? null : { ...read, repairs: [...new Set([...made, ...seen, ...read.repairs])] }
}

function dropsText(item: ReplyItem): boolean {
  return item.kind === 'issue' && item.code === 'text-after-call-dropped'
}

/** The version's reader takes JSON5; what of it is no JSON has a name once the text was put right. */
const JSON5_READ = 'call-not-strict-json'

/** What is wrong with calls that are all there, and the repair of it where no reading of arguments names one. */
const TOLERATED: ReadonlyMap<string, readonly Repair[]> = new Map<string, readonly Repair[]>([
  ['arguments-not-json', []],
  ['arguments-not-object', []],
  ['call-without-arguments', ['empty-arguments']],
  ['argument-list', ['call-list']],
  ['marker-removed', ['trailing-text']],
  ['value-not-closed', ['close-tag']],
  ['thought-not-closed', ['close-tag']],
])

/** Arguments as data; what was encoded twice is decoded twice. */
function readLoose(text: string): LenientValue | null {
  if (text.trim() === '') return { value: new Map(), repairs: ['empty-arguments'] }
  const outer = readLenientJson(text)
  if (typeof outer?.value !== 'string') return outer
  const inner = readStrictJson(outer.value)
  return inner !== undefined && isDict(inner) ? { value: inner, repairs: [...outer.repairs, 'double-encoding'] } : outer
}
