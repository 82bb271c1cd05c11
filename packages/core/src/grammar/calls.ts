import type { JsonKind } from '@callspec/python'
import { afterSpace, beforeSpace, dumps, isStandardJson, standardKind } from '@callspec/python'
import { shortText } from './issues.ts'
import type { GrammarIssueCode } from './issues.ts'
import type { BodyCall } from './grammar.ts'
import { addIssue, emit, pass, quoteFrom } from './reading.ts'
import type { OpenCall, Reading } from './reading.ts'

/** A call that begins at an offset of the reply. */
export function newCall(start: number): OpenCall {
  return {
    anchor: { start, head: '' },
    name: '',
    id: null,
    isFree: false,
    isEmitted: false,
    members: 0,
    key: null,
    keys: null,
    opener: '',
    json: '',
    whole: null,
  }
}

/**
 * Sets the name of the open call from what is written.
 *
 *   > <|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>
 *                                     ^   `f` is the name, and all of it the id
 *   > <function=get_weather>
 *                          ^   the name, unless the format says more
 */
export function nameCall({ call, context }: Reading, text: string): void {
  if (call === null) return
  const { readName } = context.compiled.grammar
  if (readName === undefined) {
    call.name = text
    return
  }
  // Several calls in a row often have the same name.
  const { seenName } = context
  const read = seenName.text === text ? seenName.read : readName(text)
  seenName.text = text
  seenName.read = read
  call.name = read?.name ?? ''
  call.id = read?.id ?? call.id
}

/**
 * Emits the open call, once, if it has a name: nothing that follows can change it.
 *
 *   > [TOOL_CALLS]f[CALL_ID]abc123def[ARGS]
 *                                    ^        not before the id, which may follow
 *   > to=functions.f<|message|>{}
 *                              ^    at once
 */
export function emitCall(reading: Reading): void {
  const { call } = reading
  if (call === null || call.isEmitted || call.name === '') return
  call.isEmitted = true
  const { name, id, isFree } = call
  emit(reading, isFree ? { kind: 'call', name, id, isFree } : { kind: 'call', name, id })
}

/**
 * Appends to the arguments of the open call.
 *
 *   > [ARGS]{"a": 1}
 *                 ^    as they arrive
 *   > <parameter=k>v</parameter>
 *                   ^              a member at a time: `{"k": "v"`
 */
export function addArguments(reading: Reading, text: string): void {
  const { call } = reading
  if (call === null || text === '') return
  if (!call.isEmitted) emitCall(reading)
  call.json += text
  if (call.isEmitted) emit(reading, { kind: 'arguments', text })
}

/**
 * Takes arguments up to `end`, without the white space around them, unless they are free text.
 *
 *   > [ARGS] {"a": 1} [TOOL_CALLS]
 *            ^       ^               from the first caret to the second
 *   > <|message|> print(1)\n<|call|>
 *                ^          ^          with the white space
 */
export function takeArguments(reading: Reading, end: number): void {
  const { input, state, call, prose } = reading
  const { text, at } = input
  const hasBegun = state.isWholeText || (call !== null && call.json !== '')
  const start = hasBegun ? at : afterSpace(text, at, end)
  const solid = beforeSpace(text, end, start)
  if (solid > start) {
    addArguments(reading, (hasBegun ? prose.space : '') + text.slice(start, solid))
    prose.space = text.slice(solid, end)
  } else if (hasBegun) prose.space += text.slice(at, end)
}

/**
 * Ends arguments that are free text.
 *
 *   > <|message|>  <|call|>
 *                ^           white space alone means no arguments
 */
export function endFreeArguments(reading: Reading): void {
  const { state, call, prose } = reading
  if (!state.isWholeText || call === null) return
  addArguments(reading, call.json === '' ? '{}' : prose.space)
  prose.space = ''
}

/**
 * Takes a key, whose value follows.
 *
 *   > <arg_key>a</arg_key>\n<arg_key>b</arg_key>
 *                                     ^            the value of `a` never came
 */
export function addKey(reading: Reading, key: string): void {
  const { call } = reading
  if (call === null) return
  if (call.key !== null) addCallIssue(reading, call, 'key-without-value')
  call.key = key
}

/**
 * Adds the value of the last key.
 *
 *   > <parameter=k>1</parameter>\n<parameter=k>2</parameter>
 *                                               ^   a second `k`: the arguments have both, which is reported
 *   > {a:007,b:1}
 *           ^       not a value of the notation: it becomes a text
 */
export function addValue(reading: Reading, text: string): void {
  const { call, context } = reading
  if (call === null) return
  const { grammar } = context.compiled
  if (grammar.readArguments !== undefined) {
    const all = grammar.readArguments(text, context.schemas(call.name, '').root) ?? dumps(text)
    // They are JSON, so what begins with a brace is an object.
    call.whole = { length: all.length, kind: all.startsWith('{') ? 'object' : 'other', hasUnseen: false }
    return addArguments(reading, all)
  }
  const key = call.key ?? ''
  call.keys ??= new Set()
  if (call.keys.has(key)) addCallIssue(reading, call, 'key-twice')
  call.keys.add(key)
  addValueIssues(reading, call, text)
  const { schema, root } = context.schemas(call.name, key)
  const typed =
    grammar.typeValue === undefined ? dumps(text) : grammar.typeValue(text, { schema, root, opener: call.opener })
  if (typed === null) addCallIssue(reading, call, 'value-not-json')
  const json = typed ?? dumps(text)
  addArguments(reading, `${call.members === 0 ? '{' : ', '}${dumps(key)}: ${json}`)
  call.members += 1
  call.key = null
}

/**
 * Reports a value that suggests a closing tag too many, or one too few before another argument. The value stays as written: it
 * may quote the format.
 *
 *   > <parameter=city>\nOslo\n</parameter>\n</parameter>
 *                                         ^             part of the value
 *   > <parameter=city>\nOslo\n<parameter=zone>\nUTC\n</parameter>
 *                              ^                              so is this tag, though the tool has a `zone`
 */
function addValueIssues(reading: Reading, call: OpenCall, text: string): void {
  const { state, context } = reading
  const { nextKey } = state
  if (nextKey === null || text.length < SHORTEST_TAG) return
  const end = beforeSpace(text)
  const [closer = ''] = state.markers
  const key = (): string => shortText(call.key ?? '')
  if (text.endsWith(closer, end))
    addCallIssue(reading, call, 'value-ends-in-marker', `Twice: ${closer} after ${key()}.`)
  // `matchAll` copies the pattern each time, which costs more than reading the value; most values contain no such tag.
  if (text.search(nextKey) < 0) return
  for (const [, other = ''] of text.matchAll(nextKey)) {
    if (context.schemas(call.name, other).schema === null) continue
    const detail = `Missing: ${closer} between ${key()} and ${shortText(other)}.`
    return addCallIssue(reading, call, 'argument-in-value', detail)
  }
}

/** No tag is shorter, and most values are. */
const SHORTEST_TAG = 8

/**
 * Ends the open call, which is complete. `kind` is what its arguments are as JSON, if that is known already.
 *
 *   > [ARGS]{"a": 1}
 *                   ^   a JSON object
 *   > <function=f>\n</function>
 *                   ^             no value came: `{}`
 *   > [ARGS]null
 *               ^   the call stays, and an issue says that this is not an object
 */
export function endCall(reading: Reading, kind: JsonKind | null = null): void {
  const { call, context } = reading
  if (call === null) return
  const { json, key, members } = call
  if (key !== null) addCallIssue(reading, call, 'key-without-value')
  if (members > 0) addArguments(reading, '}')
  else if (json === '') addArguments(reading, '{}')
  emitCall(reading)
  if (call.isEmitted) emitCallEnd(reading, call)
  reading.call = null
  // Values make an object, and no values an empty one; a format with values may also have arguments that are JSON.
  const isMadeOfValues = members > 0 || (context.compiled.hasValues && json === '')
  const code =
    call.name === ''
      ? 'call-without-name'
      : isMadeOfValues || call.isFree
        ? null
        : argumentsIssue(json, kind ?? kindRead(call))
  if (code !== null) addCallIssue(reading, call, code)
}

/** What arguments are that were read as one JSON value at once. */
function kindRead({ json, whole }: OpenCall): JsonKind | null {
  if (whole === null || whole.length !== json.length) return null
  return whole.hasUnseen && !isStandardJson(json) ? 'none' : whole.kind
}

/**
 * Ends a call that another one, or the end of all calls, interrupts: its events cannot be taken back.
 *
 *   > <|tool_call>call:f{a:1<tool_call|>
 *                           ^              an object of the values that have come
 */
export function interruptCall(reading: Reading): void {
  const { call, context } = reading
  if (call === null) return
  if (call.isEmitted && call.members > 0) addArguments(reading, '}')
  else if (call.isEmitted && context.compiled.hasValues && call.json === '') addArguments(reading, '{}')
  if (call.isEmitted) emitCallEnd(reading, call)
  addCallIssue(reading, call, 'call-not-closed')
  reading.call = null
}

/** Ends the call that was emitted last; `call` is the one that is open. A call that is only shown has a note. */
function emitCallEnd(reading: Reading, call: OpenCall | null): void {
  const { shown } = reading.quote
  emit(reading, { kind: 'call-end' })
  if (shown !== null) addIssueHere(reading, call, shown)
}

/** Emits an issue about the open call, quoting its beginning. */
export function addCallIssue(reading: Reading, { anchor }: OpenCall, code: GrammarIssueCode, detail?: string): void {
  addIssue(reading, { start: anchor.start, head: quoteFrom(reading, anchor) }, code, detail)
}

/**
 * Emits an issue about a call, or, without one, about the marker that led here.
 *
 *   > <tool_call>clock</tool_call>
 *                     ^              about the call that the tag has opened
 */
export function addIssueHere(reading: Reading, call: OpenCall | null, code: GrammarIssueCode): void {
  const { start, marker: head } = reading.entry
  if (call !== null) addCallIssue(reading, call, code)
  else addIssue(reading, { start, head }, code)
}

/**
 * Emits a call of a body, and what is wrong with it. `call` is the one that was open.
 *
 *   > [{"name": "f"}]
 *                    ^   `{}`, and an issue: the call does not even say that it has no arguments
 *   > [{"arguments": {}}]
 *                        ^   not a call
 */
export function emitBodyCall(reading: Reading, { name, id, arguments: json }: BodyCall, call: OpenCall | null): void {
  if (name === '') return addIssueHere(reading, call, 'call-without-name')
  emit(reading, { kind: 'call', name, id })
  emit(reading, { kind: 'arguments', text: json === '' ? '{}' : json })
  emitCallEnd(reading, call)
  // The body is JSON, so what begins with a brace is an object.
  const code = json.startsWith('{') ? null : argumentsIssue(json)
  if (code !== null) addIssueHere(reading, call, code)
}

/** What is wrong with arguments that are written as JSON; null for nothing. */
function argumentsIssue(json: string, known: JsonKind | null = null): GrammarIssueCode | null {
  if (json === '') return 'call-without-arguments'
  const kind = known ?? standardKind(json)
  if (kind === 'object') return null
  return kind === 'none' ? 'arguments-not-json' : 'arguments-not-object'
}

/** Takes a body up to `end`. What cannot be read is dropped, not collected. */
export function takeBody(reading: Reading, end: number): void {
  const { input, body, asEnded } = reading
  if (end === input.at) return
  const text = input.text.slice(input.at, end)
  if (body.phase !== 'unreadable') reading.collected += text
  if (asEnded !== null) asEnded.input.text += text
  pass(reading, end)
}

/**
 * Emits the calls of a body that has ended. A body that may be text holds calls only if each has a name and an object of
 * arguments.
 *
 * @returns `read`: the calls, or an issue, were emitted; `named`: it is text, though it names a call; `none`: it is text
 */
export function readBodyCalls(reading: Reading): 'read' | 'named' | 'none' {
  const { collected, call, state, context, body } = reading
  const calls = body.found ?? context.compiled.grammar.readCalls?.(collected) ?? null
  if (state.fallback !== null) {
    if (calls === null) return 'none'
    if (!calls.every(isWhole)) return calls.some(({ name }) => name !== '') ? 'named' : 'none'
  }
  reading.collected = ''
  reading.call = null
  if (calls === null) addIssueHere(reading, call, 'body-not-readable')
  else if (calls.length === 0) addIssueHere(reading, call, 'calls-empty')
  for (const each of calls ?? []) emitBodyCall(reading, each, call)
  return 'read'
}

function isWhole({ name, arguments: given }: BodyCall): boolean {
  return name !== '' && given.startsWith('{')
}

/** Ends a body at a marker. A JSON body is not readable then: its last bracket would have ended it. */
export function endBody(reading: Reading): void {
  const { state, call } = reading
  if (state.scan === 'marker') readBodyCalls(reading)
  else if (state.scan === 'json-body') {
    addIssueHere(reading, call, 'body-not-readable')
    reading.call = null
  }
  reading.collected = ''
}
