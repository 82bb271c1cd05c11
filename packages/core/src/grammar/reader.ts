import { InputError, fromPlain, isList } from '@callspec/python'
import { foldEvents } from '../reply/event.ts'
import type { ReplyEvent } from '../reply/event.ts'
import type { ReadOptions } from '../reply/read-options.ts'
import type { ReplyReader } from '../reply/reader.ts'
import type { PyValue } from '@callspec/python'
import { compileGrammar } from './compile.ts'
import type { CompiledGrammar } from './compile.ts'
import type { Grammar } from './grammar.ts'
import { copyOfReading, newReading } from './reading.ts'
import type { Reading } from './reading.ts'
import { schemasOf } from './schemas.ts'
import { endReply, step } from './step.ts'
import type { StepContext } from './step.ts'

/**
 * The reader of a grammar. Nothing that a model writes makes it throw.
 *
 * @throws Error for a grammar that contradicts itself
 */
export function grammarReader(grammar: Grammar): (options?: ReadOptions) => ReplyReader {
  const compiled = compileGrammar(grammar)
  return (options = {}) => (options.toolChoice === 'none' ? textReader() : startReader(compiled, options))
}

function startReader(compiled: CompiledGrammar, options: ReadOptions): ReplyReader {
  const { grammar } = compiled
  const reading = newReading(startOf(grammar, options))
  const tools = fromPlain(options.tools, 'tools')
  const context: StepContext = {
    compiled,
    schemas: schemasOf(isList(tools) ? tools : NO_TOOLS),
    isEnd: false,
    examined: options.onExamined ?? ignore,
  }
  const atEnd: StepContext = { ...context, isEnd: true }
  const fold = foldEvents()
  // Most streams are read by their events alone; items are made of them only for whoever asks for a snapshot.
  let waiting: (readonly ReplyEvent[])[] = []
  const told = (): readonly ReplyEvent[] => {
    const events = eventsOf(reading)
    if (events.length > 0) waiting.push(events)
    return events
  }
  return {
    push: (chunk) => {
      checkChunk(chunk)
      reading.held += chunk
      readOn(reading, context)
      return told()
    },
    end: () => {
      finish(reading, atEnd)
      return told()
    },
    snapshot: () => {
      const ahead = copyOfReading(reading)
      finish(ahead, atEnd)
      for (const events of waiting) fold.take(events)
      waiting = []
      return fold.reply(ahead.events)
    },
  }
}

function startOf(grammar: Grammar, { thoughtInContent, thinking }: ReadOptions): string {
  const asked = thoughtInContent === true ? grammar.thought : thinking === true ? grammar.thinking : undefined
  return asked ?? grammar.start
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

function readOn(reading: Reading, context: StepContext): void {
  while (step(reading, context)) {
    // Each step that says so has left its state, and leaving a state passes over a marker or enters one that does.
  }
}

function finish(reading: Reading, context: StepContext): void {
  readOn(reading, context)
  endReply(reading, context)
}

function eventsOf(reading: Reading): readonly ReplyEvent[] {
  const { events } = reading
  reading.events = []
  return events
}

function ignore(): void {}
