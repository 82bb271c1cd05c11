import { dumps } from '@callspec/python'
import type { CompiledGrammar } from './compile.ts'
import type { BodyCall } from './grammar.ts'
import { grammarIssue } from './issues.ts'
import type { GrammarIssueCode } from './issues.ts'
import type { OpenCall, Reading } from './reading.ts'
import type { Schemas } from './schemas.ts'

/** What reading calls needs to know. */
export interface CallContext {
  readonly compiled: CompiledGrammar
  readonly schemas: Schemas
}

/** Takes the name of the open call as it is written. */
export function nameCall(reading: Reading, text: string, { grammar }: CompiledGrammar): void {
  const { call } = reading
  if (call === null) return
  const read = grammar.readName === undefined ? { name: text, id: null } : grammar.readName(text)
  call.isNamed = true
  call.name = read?.name ?? ''
  call.id = read?.id ?? call.id
}

/** Tells the open call, once, if it has a name: nothing that comes can change it. */
export function tellCall(reading: Reading): void {
  const { call } = reading
  if (call === null || call.isTold || call.name === '') return
  call.isTold = true
  const { name, id, isFree } = call
  reading.events.push({ kind: 'call', name, id, ...(isFree ? { isFree } : {}) })
}

/** Adds to the arguments of the open call. */
export function addArguments(reading: Reading, text: string): void {
  const { call } = reading
  if (call === null || text === '') return
  tellCall(reading)
  call.json += text
  if (call.isTold) reading.events.push({ kind: 'arguments', text })
}

/** Takes a key, whose value is to come. */
export function addKey(reading: Reading, key: string): void {
  const { call } = reading
  if (call === null) return
  if (call.key !== null) noteCall(reading, call, 'key-without-value')
  call.key = key
}

/** Adds the value of the last key. */
export function addValue(reading: Reading, text: string, { compiled, schemas }: CallContext): void {
  const { call } = reading
  if (call === null) return
  const { grammar } = compiled
  const key = call.key ?? ''
  call.keys ??= new Set()
  if (call.keys.has(key)) noteCall(reading, call, 'key-twice')
  call.keys.add(key)
  const place = { ...schemas(call.name, key), opener: call.opener }
  const typed = grammar.typeValue === undefined ? dumps(text) : grammar.typeValue(text, place)
  if (typed === null) noteCall(reading, call, 'value-not-json')
  const json = typed ?? dumps(text)
  addArguments(reading, `${call.members === 0 ? '{' : ', '}${dumps(key)}: ${json}`)
  call.members += 1
  call.key = null
}

/** Ends the open call: it is complete. */
export function endCall(reading: Reading, compiled: CompiledGrammar): void {
  const { call } = reading
  if (call === null) return
  const { json, key, members } = call
  if (key !== null) noteCall(reading, call, 'key-without-value')
  if (members > 0) addArguments(reading, '}')
  else if (json === '') addArguments(reading, '{}')
  tellCall(reading)
  if (call.isTold) reading.events.push({ kind: 'call-end' })
  reading.call = null
  // Values make an object, and none make an empty one; a format with values may have arguments that are JSON, too.
  const isMadeOfValues = members > 0 || (compiled.hasValues && json === '')
  const code = call.name === '' ? 'call-without-name' : isMadeOfValues || call.isFree ? null : troubleOf(json)
  if (code !== null) noteCall(reading, call, code)
}

/** Says something about the open call, quoting its beginning. */
export function noteCall(reading: Reading, { anchor }: Pick<OpenCall, 'anchor'>, code: GrammarIssueCode): void {
  const { start, head } = anchor
  reading.events.push(grammarIssue(code, { start, end: reading.offset, head }))
}

/** Tells a call of a body, and what is wrong with it. */
export function tellBodyCall(
  reading: Reading,
  { name, id, arguments: json }: BodyCall,
  place: Pick<OpenCall, 'anchor'>,
): void {
  const { events } = reading
  if (name === '') return noteCall(reading, place, 'call-without-name')
  events.push({ kind: 'call', name, id }, { kind: 'arguments', text: json === '' ? '{}' : json }, { kind: 'call-end' })
  // A body was read to its end: what begins with a brace is an object.
  const code = json.startsWith('{') ? null : troubleOf(json)
  if (code !== null) noteCall(reading, place, code)
}

/** What is wrong with arguments that stand as JSON; null for nothing. */
function troubleOf(json: string): GrammarIssueCode | null {
  if (json === '') return 'call-without-arguments'
  const kind = kindOfJson(json)
  if (kind === 'object') return null
  return kind === 'none' ? 'arguments-not-json' : 'arguments-not-object'
}

/** What a text is as JSON by RFC 8259. */
export function kindOfJson(text: string): 'object' | 'other' | 'none' {
  try {
    // Only whether it can be read is asked, so that what JavaScript loses of numbers and keys does not count.
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? 'object' : 'other'
  } catch {
    return 'none'
  }
}
