import type { BuiltInFormat, ParseOptions, ParseOutcome } from '../format.ts'
import { bufferThenParse } from '../stream/buffer-then-parse.ts'
import { foldEvents, replyOf } from '../reply/event.ts'
import type { ReplyEvent } from '../reply/event.ts'
import type { ReadOptions } from '../reply/read-options.ts'
import type { ReplyReader } from '../reply/reader.ts'
import { settledEvents } from './settled-events.ts'
import { issueItem } from './issue-item.ts'

/** The reading side of a format that follows a reference whose answers may be taken back by what follows. */
export interface ReferenceReading {
  readonly createReader: (options?: ReadOptions) => ReplyReader
  readonly read: (text: string, options?: ReadOptions) => ReturnType<typeof replyOf>
}

/** Reads as the reference does: events say only what nothing can take back. */
export function referenceReading(format: BuiltInFormat): ReferenceReading {
  return {
    createReader: (options = {}) => startReader(format, options),
    read: (text, options = {}) => replyOf(outcomeEvents(format.parse(text, parseOptions(options)))),
  }
}

function startReader(format: BuiltInFormat, options: ReadOptions): ReplyReader {
  const { onExamined } = options
  const asked = { ...parseOptions(options), ...(onExamined === undefined ? {} : { onExamined }) }
  const parser = format.createStreamParser?.(asked) ?? bufferThenParse(format, asked)
  const settled = settledEvents()
  return {
    push: (chunk) => {
      parser.push(chunk)
      return settled.next(parser)
    },
    end: () => settled.end(parser.snapshot()),
    snapshot: () => {
      const fold = foldEvents()
      fold.take(outcomeEvents(parser.snapshot()))
      return fold.reply()
    },
  }
}

function parseOptions({ version, tools: _tools, onExamined: _onExamined, ...options }: ReadOptions): ParseOptions {
  return { ...options, ...(version === undefined ? {} : { profile: version }) }
}

/** An outcome as events. */
export function outcomeEvents(outcome: ParseOutcome): readonly ReplyEvent[] {
  if (outcome.kind === 'rejected') return [{ kind: 'rejected', error: outcome.error }, issueItem(outcome.issue)]
  const events: ReplyEvent[] = []
  for (const { content, reasoning_content: thought, function_call: call } of outcome.messages) {
    if (typeof thought === 'string' && thought !== '') events.push({ kind: 'reasoning', text: thought })
    if (content !== '') events.push({ kind: 'text', text: content })
    if (!call) continue
    events.push({ kind: 'call', name: call.name, id: null })
    events.push({ kind: 'arguments', text: call.arguments }, { kind: 'call-end' })
  }
  return [...events, ...outcome.issues.map(issueItem)]
}
