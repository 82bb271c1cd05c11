import { dumps } from '@callspec/python'
import type { BodyCall } from './grammar.ts'
import { beforeSpace } from './edges.ts'
import { grammarIssue, QUOTED } from './issues.ts'
import type { GrammarIssueCode } from './issues.ts'
import { isReadByParse, kindOfJson } from './json-scan.ts'
import type { JsonKind } from './json-scan.ts'
import { headOf, offsetOf, tell } from './reading.ts'
import type { OpenCall, Reading } from './reading.ts'

/**
 * Takes the name of the open call as it is written.
 *
 *   > <|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>
 *                                     ^   `f` is the name, and all of it the id
 *   > <function=get_weather>
 *                          ^   where the format says nothing more, it is the name
 */
export function nameCall(reading: Reading, text: string): void {
  const { call, context } = reading
  if (call === null) return
  const { readName } = context.compiled.grammar
  if (readName === undefined) {
    call.name = text
    return
  }
  // Calls of one tool follow each other.
  const { seenName } = context
  const read = seenName.text === text ? seenName.read : readName(text)
  seenName.text = text
  seenName.read = read
  call.name = read?.name ?? ''
  call.id = read?.id ?? call.id
}

/**
 * Tells the open call, once, if it has a name: nothing that comes can change it.
 *
 *   > [TOOL_CALLS]f[CALL_ID]abc123def[ARGS]
 *                                    ^        not before the id, which may follow
 *   > to=functions.f<|message|>{}
 *                              ^    at once
 */
export function tellCall(reading: Reading): void {
  const { call } = reading
  if (call === null || call.isTold || call.name === '') return
  call.isTold = true
  const { name, id, isFree } = call
  tell(reading, isFree ? { kind: 'call', name, id, isFree } : { kind: 'call', name, id })
}

/**
 * Adds to the arguments of the open call.
 *
 *   > [ARGS]{"a": 1}
 *                 ^    as they came
 *   > <parameter=k>v</parameter>
 *                   ^              a member at a time: `{"k": "v"`
 */
export function addArguments(reading: Reading, text: string): void {
  const { call } = reading
  if (call === null || text === '') return
  if (!call.isTold) tellCall(reading)
  call.json += text
  if (call.isTold) tell(reading, { kind: 'arguments', text })
}

/**
 * Takes a key, whose value is to come.
 *
 *   > <arg_key>a</arg_key>\n<arg_key>b</arg_key>
 *                                     ^            the value of `a` never came
 */
export function addKey(reading: Reading, key: string): void {
  const { call } = reading
  if (call === null) return
  if (call.key !== null) noteCall(reading, call, 'key-without-value')
  call.key = key
}

/**
 * Adds the value of the last key.
 *
 *   > <parameter=k>1</parameter>\n<parameter=k>2</parameter>
 *                                               ^   a second `k`: both stand in the arguments, and it is noted
 *   > {a:007,b:1}
 *           ^       no value of the notation: its text
 */
export function addValue(reading: Reading, text: string): void {
  const { call, context } = reading
  if (call === null) return
  const { grammar } = context.compiled
  const key = call.key ?? ''
  call.keys ??= new Set()
  if (call.keys.has(key)) noteCall(reading, call, 'key-twice')
  call.keys.add(key)
  noteValue(reading, call, text)
  const place = { ...context.schemas(call.name, key), opener: call.opener }
  const typed = grammar.typeValue === undefined ? dumps(text) : grammar.typeValue(text, place)
  if (typed === null) noteCall(reading, call, 'value-not-json')
  const json = typed ?? dumps(text)
  addArguments(reading, `${call.members === 0 ? '{' : ', '}${dumps(key)}: ${json}`)
  call.members += 1
  call.key = null
}

/**
 * Reports a value that suggests a closing tag too many, or one too few before another argument. The value stays as written: it may
 * quote the format.
 *
 *   > <parameter=city>\nOslo\n</parameter>\n</parameter>
 *                                         ^             part of the value
 *   > <parameter=city>\nOslo\n<parameter=zone>\nUTC\n</parameter>
 *                              ^                              so is this tag, though the tool has a `zone`
 */
function noteValue(reading: Reading, call: OpenCall, text: string): void {
  const { state, context } = reading
  const { nextKey } = state
  if (nextKey === null || text.length < SHORTEST_TAG) return
  const end = beforeSpace(text)
  const closer = state.markers.find((marker) => state.transitions.get(marker)?.meaning === 'marker') ?? ''
  const key = shortText(call.key ?? '')
  if (text.endsWith(closer, end)) noteCall(reading, call, 'value-ends-in-marker', `Twice: ${closer} after ${key}.`)
  // `matchAll` makes a pattern of its own each time, which costs more than reading the value; most values contain no such tag.
  if (text.search(nextKey) < 0) return
  for (const [, other = ''] of text.matchAll(nextKey)) {
    if (context.schemas(call.name, other).schema === null) continue
    const detail = `Missing: ${closer} between ${key} and ${shortText(other)}.`
    return noteCall(reading, call, 'argument-in-value', detail)
  }
}

/** No tag is shorter: most values are, and hold none. */
const SHORTEST_TAG = 8

/** A key as a message quotes it. */
export function shortText(text: string): string {
  return JSON.stringify(text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text)
}

/**
 * Ends the open call: it is complete. `kind` is what its arguments are as JSON, where that is known already.
 *
 *   > [ARGS]{"a": 1}
 *                   ^   JSON, and an object
 *   > <function=f>\n</function>
 *                   ^             no value came: `{}`
 *   > [ARGS]null
 *               ^   the call stays, and the issue says that this is no object
 */
export function endCall(reading: Reading, kind: JsonKind | null = null): void {
  const { call, context } = reading
  if (call === null) return
  const { json, key, members } = call
  if (key !== null) noteCall(reading, call, 'key-without-value')
  if (members > 0) addArguments(reading, '}')
  else if (json === '') addArguments(reading, '{}')
  tellCall(reading)
  if (call.isTold) tell(reading, CALL_END)
  reading.call = null
  // Values make an object, and none make an empty one; a format with values may have arguments that are JSON, too.
  const isMadeOfValues = members > 0 || (context.compiled.hasValues && json === '')
  const code =
    call.name === ''
      ? 'call-without-name'
      : isMadeOfValues || call.isFree
        ? null
        : troubleOf(json, kind ?? kindRead(call))
  if (code !== null) noteCall(reading, call, code)
}

/** What arguments are that were read as they were followed. */
function kindRead({ json, whole }: OpenCall): JsonKind | null {
  if (whole === null || whole.length !== json.length) return null
  return whole.hasUnseen && !isReadByParse(json) ? 'none' : whole.kind
}

/** All ends of calls are one. */
export const CALL_END = { kind: 'call-end' } as const

/** Says something about the open call, quoting its beginning. */
export function noteCall(
  reading: Reading,
  { anchor }: Pick<OpenCall, 'anchor'>,
  code: GrammarIssueCode,
  detail?: string,
): void {
  notePlace(reading, { start: anchor.start, head: headOf(reading, anchor) }, code, detail)
}

/** Says something about what stands from a place up to here. */
export function notePlace(
  reading: Reading,
  { start, head }: { readonly start: number; readonly head: string },
  code: GrammarIssueCode,
  detail?: string,
): void {
  const end = offsetOf(reading)
  tell(reading, grammarIssue(code, { start, end, head: head.slice(0, end - start) }, detail))
}

/**
 * Says something about the open call, or else about the marker that led here.
 *
 *   > <tool_call>clock</tool_call>
 *                     ^              of the call that the tag has opened
 */
export function noteHere(reading: Reading, call: OpenCall | null, code: GrammarIssueCode): void {
  if (call !== null) noteCall(reading, call, code)
  else notePlace(reading, { start: reading.entryStart, head: reading.entryMarker }, code)
}

/**
 * Tells a call of a body, and what is wrong with it. `call` is the one that was open.
 *
 *   > [{"name": "f"}]
 *                    ^   `{}`, and an issue: it says of no arguments, not even that there are none
 *   > [{"arguments": {}}]
 *                        ^   no call
 */
export function tellBodyCall(reading: Reading, { name, id, arguments: json }: BodyCall, call: OpenCall | null): void {
  if (name === '') return noteHere(reading, call, 'call-without-name')
  tell(reading, { kind: 'call', name, id })
  tell(reading, { kind: 'arguments', text: json === '' ? '{}' : json })
  tell(reading, CALL_END)
  // A body was read to its end: what begins with a brace is an object.
  const code = json.startsWith('{') ? null : troubleOf(json)
  if (code !== null) noteHere(reading, call, code)
}

/** What is wrong with arguments that stand as JSON; null for nothing. */
function troubleOf(json: string, known: JsonKind | null = null): GrammarIssueCode | null {
  if (json === '') return 'call-without-arguments'
  const kind = known ?? kindOfJson(json)
  if (kind === 'object') return null
  return kind === 'none' ? 'arguments-not-json' : 'arguments-not-object'
}
