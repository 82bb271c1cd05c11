/*
 * The engine: one reader for every grammar. A reply goes through it like this.
 *
 *   text → markers → states → events → items
 *
 * 1. `compile.ts` turns the table of a grammar (`grammar.ts`) into states that know their markers and where those lead.
 * 2. `machine.ts` looks for the next marker of the present state; strings and brackets of JSON (`follow.ts`), of Python
 *    (`python.ts`) and of whole bodies of calls (`bodies.ts`) hide markers that are text.
 * 3. The text before the marker is taken as what the state says it is, and the marker leads to the next state (`transitions.ts`).
 * 4. Texts and thoughts (`text.ts`), calls (`calls.ts`) and bodies of calls emit events, and issues for what is wrong (`issues.ts`).
 * 5. `reply/event.ts` folds the events to the items of a reply.
 *
 * With the states {text: `<call>` → name, name: `<args>` → json, json: `</call>` → text}:
 *
 *   Hi. <call>clock<args>{}</call>
 *   ~~~~                              text   emits text "Hi. "
 *       ~~~~~~                        marker: leads to `name`, and a call opens
 *             ~~~~~                   name   collected
 *                  ~~~~~~             marker: leads to `json`; emits call "clock"
 *                        ~~           json   emits arguments "{}"
 *                          ~~~~~~~    marker: leads to `text`; emits call-end
 *
 * Everything is in a `Reading` (`reading.ts`), a plain record: each part of it belongs to the file that it names, and few lines
 * elsewhere set a member of it. A chunk may end anywhere; what it leaves undecided, such as half a marker, waits for the next one. So the events do not depend on the chunks,
 * each character is looked at a bounded number of times, and no text throws.
 */
import { InputError, fromPlain, isList, standardKind, unreachable } from '@callspec/python'
import type { JsonKind, PyValue } from '@callspec/python'
import { foldEvents, replyOf } from '../reply/event.ts'
import type { ReplyEvent } from '../reply/event.ts'
import type { ReadOptions, ReplyReader } from '../reply/reader.ts'
import type { Reply } from '../reply/item.ts'
import { fallBackToText } from './bodies.ts'
import { addCallIssue, endCall, endFreeArguments } from './calls.ts'
import { compileGrammar } from './compile.ts'
import type { CompiledGrammar, CompiledState } from './compile.ts'
import type { Grammar } from './grammar.ts'
import { grammarIssue } from './issues.ts'
import { readOn } from './machine.ts'
import { addIssue, copyOfReading, dropRead, emit, newContext, newReading, offsetOf, stateNamed } from './reading.ts'
import type { Reading } from './reading.ts'
import { endDropped, endOpenThought, endText, secondReading } from './text.ts'
import { closeValueAtCallEnd, endHead, finishState } from './transitions.ts'
import { schemasOf } from './values.ts'

export interface GrammarReaders {
  readonly createReader: (options?: ReadOptions) => ReplyReader
  /** A whole reply: the same as pushing it into a reader at once. */
  readonly read: (text: string, options?: ReadOptions) => Reply
}

/**
 * The readers of a grammar. No text of a model makes them throw.
 *
 * @throws Error for a grammar that contradicts itself
 */
export function grammarReaders(grammar: Grammar): GrammarReaders {
  const compiled = compileGrammar(grammar)
  return {
    createReader: (options = {}) =>
      options.toolChoice === 'none' ? textReader(options.withoutSnapshots) : startReader(compiled, options),
    read: (text, options = {}) =>
      options.toolChoice === 'none' ? readText(text) : readWholeReply(compiled, text, options),
  }
}

/** Without snapshots, the events are folded once, at the end. */
function readWholeReply(compiled: CompiledGrammar, text: string, options: ReadOptions): Reply {
  checkChunk(text)
  const reading = startReading(compiled, options)
  reading.input.text = text
  readOn(reading)
  finish(reading)
  return replyOf(reading.events ?? NO_EVENTS)
}

function readText(text: string): Reply {
  const reader = textReader()
  reader.push(text)
  return reader.snapshot()
}

function startReader(compiled: CompiledGrammar, options: ReadOptions): ReplyReader {
  const reading = startReading(compiled, options)
  const fold = foldEvents()
  const emitted = (): readonly ReplyEvent[] => {
    const events = reading.events ?? NO_EVENTS
    reading.events = null
    if (options.withoutSnapshots !== true) fold.take(events)
    return events
  }
  return {
    push: (chunk) => {
      checkChunk(chunk)
      reading.input.text += chunk
      readOn(reading)
      dropRead(reading)
      return emitted()
    },
    end: () => {
      // Events are the same with and without snapshots before.
      reading.asEnded = null
      finish(reading)
      return emitted()
    },
    snapshot: () => {
      readAsEnded(reading)
      const ahead = copyOfReading(reading)
      finish(ahead)
      return fold.reply(ahead.events ?? NO_EVENTS)
    },
  }
}

const NO_EVENTS: readonly ReplyEvent[] = []

function startReading(compiled: CompiledGrammar, options: ReadOptions): Reading {
  const tools = fromPlain(options.tools, 'tools')
  const schemas = schemasOf(isList(tools) ? tools : NO_TOOLS)
  const context = newContext({ compiled, schemas, examined: options.onExamined ?? ignore, finish })
  return newReading(startOf(compiled, options), context)
}

function startOf({ grammar, states }: CompiledGrammar, { thoughtInContent, thinking }: ReadOptions): CompiledState {
  const start = thoughtInContent === true ? grammar.thought : thinking === true ? grammar.thinking : undefined
  return stateNamed(states, start ?? grammar.start)
}

/** With the choice `none` all of a reply is text. */
function textReader(withoutSnapshots = false): ReplyReader {
  const fold = foldEvents()
  return {
    push: (chunk) => {
      checkChunk(chunk)
      const events: readonly ReplyEvent[] = chunk === '' ? [] : [{ kind: 'text', text: chunk }]
      if (!withoutSnapshots) fold.take(events)
      return events
    },
    end: () => [],
    snapshot: () => fold.reply(),
  }
}

function checkChunk(chunk: unknown): void {
  if (typeof chunk !== 'string') throw new InputError('chunk', 'This is not a text. Give what the model wrote.')
}

const NO_TOOLS: readonly PyValue[] = []

function ignore(): void {}

function finish(reading: Reading): void {
  reading.input.isEnd = true
  readOn(reading)
  endReply(reading)
}

/**
 * Emits what is left when the reply has ended and nothing more can be read: the last text, and what was left open.
 *
 *   > [TOOL_CALLS]f[ARGS]{"a": 1
 *                               ^   the call is dropped
 */
function endReply(reading: Reading): void {
  const { state, body, value } = reading
  if (state.kind === 'calls' && (state.scan !== 'json-body' || body.phase === 'unreadable')) finishState(reading)
  else if (state.kind === 'text') endText(reading)
  const endsInCalls = state.kind === 'reasoning' && endOpenThought(reading)
  endDropped(reading)
  if (state.kind === 'head') return endHead(reading)
  const kind = kindOfWhole(reading)
  if (kind !== 'none') {
    endFreeArguments(reading)
    return endCall(reading, kind)
  }
  const { call } = reading
  const { unfinished } = body
  // A plain text does not show whether it is complete: the call stays, and an issue says that it is not JSON.
  if (value.form === 'plain' && call !== null && call.json !== '') return endCall(reading, kind)
  if (unfinished !== null) emit(reading, grammarIssue('cut', { ...unfinished, end: offsetOf(reading) }))
  if (call !== null) addCallIssue(reading, call, 'cut')
  else if (!endsInCalls) addTruncationIssue(reading)
  reading.call = null
}

/**
 * What arguments are as JSON if they need no bracket and no marker ends them, or are free text: they are complete with the reply.
 *
 *   > [TOOL_CALLS]f[ARGS]null
 *                           ^
 *   > to=functions.f<|message|>{}
 *                                ^   the stop token is seldom shown
 */
function kindOfWhole({ call, json, state }: Reading): JsonKind {
  if (state.kind !== 'json' || call === null) return 'none'
  const mayEnd = state.isWholeText || (state.next !== null && json.depth === 0 && !json.isInString)
  return mayEnd ? standardKind(call.json) : 'none'
}

/**
 * Reports that the reply was truncated in the present state, if the state says so, or is part of a call or a thought.
 *
 *   > <think>Hm.
 *               ^   the thought has no end
 *   > <tool_call>{"name": "f", "arguments": {}}
 *                                              ^   maybe: the closing tag may be the stop word of a server
 */
function addTruncationIssue(reading: Reading): void {
  const { state, entry } = reading
  const place = { start: entry.start, head: entry.marker }
  switch (state.kind) {
    case 'reasoning':
    case 'name':
    case 'id':
    case 'key':
    case 'value':
    case 'json':
      return addIssue(reading, place, 'cut')
    case 'text':
    case 'nothing':
    case 'calls':
    case 'head':
      if (state.mayBeTruncated === true) addIssue(reading, place, 'cut')
      else if (state.mayBeTruncated === 'maybe') addIssue(reading, place, 'calls-not-closed')
      return
    default:
      unreachable(state.kind)
  }
}

/**
 * For a snapshot: reads an open body of calls, value, or thought with calls in it as what it is if the reply ends here. The
 * result is kept and continues with the next snapshot: to read all of the body again for each would take quadratic time.
 *
 *   > <|python_tag|>{"a<|eot_id|>bcd
 *                                   ^   not a call; the token ends the reply, and what follows it is dropped
 */
function readAsEnded(reading: Reading): void {
  const { state, collected, prose, value } = reading
  const isBody = state.fallback !== null && (state.scan === 'json-body' || state.scan === 'python-body')
  if (!isBody && value.callEnd === null && prose.calls === null) return
  const asEnded = reading.asEnded ?? (collected === '' ? null : beginAsEnded(reading))
  if (asEnded === null) return
  reading.asEnded = asEnded
  readOn(asEnded)
  dropRead(asEnded)
  asEnded.events = asEnded.events === null ? null : joinedTexts(asEnded.events)
  // That text may contain a body, too.
  readAsEnded(asEnded)
}

/**
 * A copy that goes on where the body began.
 *
 *   > functools[{"name": "f", "argu
 *              ^                      from here on it reads text, in which there may be markers
 */
function beginAsEnded(reading: Reading): Reading {
  const second = secondReading(reading)
  if (second !== null) return second
  const copy = copyOfReading(reading)
  copy.input.text = copy.input.text.slice(0, copy.input.at)
  if (copy.value.callEnd === null) fallBackToText(copy)
  else closeValueAtCallEnd(copy)
  return copy
}

/** The same events with one for each text, so that there are not more of them than the text has parts. */
function joinedTexts(events: readonly ReplyEvent[]): ReplyEvent[] {
  const joined: ReplyEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if (last?.kind === 'text' && event.kind === 'text' && event.begins !== true && last.channel === event.channel)
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    else if (last?.kind === 'arguments' && event.kind === 'arguments')
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    else joined.push(event)
  }
  return joined
}
