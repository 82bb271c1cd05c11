import { InputError, fromPlain, isList } from '@callspec/python'
import { foldEvents, replyOf } from '../reply/event.ts'
import type { ReplyEvent } from '../reply/event.ts'
import type { ReadOptions } from '../reply/read-options.ts'
import type { ReplyReader } from '../reply/reader.ts'
import type { Reply } from '../reply/reply.ts'
import type { PyValue } from '@callspec/python'
import { readAsText } from './as-text.ts'
import { compileGrammar } from './compile.ts'
import type { CompiledGrammar, CompiledState } from './compile.ts'
import type { Grammar } from './grammar.ts'
import { copyOfReading, dropRead, newContext, newReading, stateNamed } from './reading.ts'
import type { Reading } from './reading.ts'
import { schemasOf } from './schemas.ts'
import { endReply, readOn } from './step.ts'

/** The two ways in which a grammar reads. */
export interface GrammarReaders {
  readonly createReader: (options?: ReadOptions) => ReplyReader
  /** A whole reply: what a reader says that it is pushed into at once. */
  readonly read: (text: string, options?: ReadOptions) => Reply
}

/**
 * The readers of a grammar. Nothing that a model writes makes them throw.
 *
 * The grammar is made ready when the first reply is read: who needs one format does not wait for all of them. One that contradicts
 * itself throws then; `compileGrammar` says so before.
 */
export function grammarReaders(grammar: Grammar): GrammarReaders {
  let made: CompiledGrammar | null = null
  const compiled = (): CompiledGrammar => (made ??= compileGrammar(grammar))
  return {
    createReader: (options = {}) => (options.toolChoice === 'none' ? textReader() : startReader(compiled(), options)),
    read: (text, options = {}) =>
      options.toolChoice === 'none' ? readText(text) : readWhole(compiled(), text, options),
  }
}

/** Nobody asks on the way: the events are folded once, at the end. */
function readWhole(compiled: CompiledGrammar, text: string, options: ReadOptions): Reply {
  checkChunk(text)
  const reading = startReading(compiled, options)
  reading.text = text
  readOn(reading)
  finish(reading)
  return replyOf(reading.events ?? NOTHING)
}

function readText(text: string): Reply {
  const reader = textReader()
  reader.push(text)
  return reader.snapshot()
}

function startReader(compiled: CompiledGrammar, options: ReadOptions): ReplyReader {
  const reading = startReading(compiled, options)
  const fold = foldEvents()
  const told = (): readonly ReplyEvent[] => {
    const events = reading.events ?? NOTHING
    reading.events = null
    fold.take(events)
    return events
  }
  return {
    push: (chunk) => {
      checkChunk(chunk)
      reading.text += chunk
      readOn(reading)
      dropRead(reading)
      return told()
    },
    end: () => {
      // Events are the same whether snapshots were asked for or not.
      reading.asText = null
      finish(reading)
      return told()
    },
    snapshot: () => {
      readAsText(reading)
      const ahead = copyOfReading(reading)
      finish(ahead)
      return fold.reply(ahead.events ?? NOTHING)
    },
  }
}

const NOTHING: readonly ReplyEvent[] = []

function startReading(compiled: CompiledGrammar, options: ReadOptions): Reading {
  const tools = fromPlain(options.tools, 'tools')
  const schemas = schemasOf(isList(tools) ? tools : NO_TOOLS)
  const context = newContext({ compiled, schemas, examined: options.onExamined ?? ignore, finish })
  return newReading(startOf(compiled, options), context)
}

function startOf({ grammar, states }: CompiledGrammar, { thoughtInContent, thinking }: ReadOptions): CompiledState {
  const asked = thoughtInContent === true ? grammar.thought : thinking === true ? grammar.thinking : undefined
  return stateNamed(states, asked ?? grammar.start)
}

/** With the choice `none` a reply is text, whatever it spells. */
function textReader(): ReplyReader {
  const fold = foldEvents()
  return {
    push: (chunk) => {
      checkChunk(chunk)
      const events: readonly ReplyEvent[] = chunk === '' ? [] : [{ kind: 'text', text: chunk }]
      fold.take(events)
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

function finish(reading: Reading): void {
  reading.isEnd = true
  readOn(reading)
  endReply(reading)
}

function ignore(): void {}
