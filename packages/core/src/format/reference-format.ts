import type { AssistantMessage, BuiltInFormat, ParseOutcome, StreamOptions } from '../format.ts'
import { bufferThenParse } from '../stream/buffer-then-parse.ts'
import { foldEvents, replyOf } from '../reply/event.ts'
import type { ReplyEvent } from '../reply/event.ts'
import type { IssueItem, ReplyItem } from '../reply/item.ts'
import type { ReadOptions } from '../reply/read-options.ts'
import type { ReplyReader } from '../reply/reader.ts'
import type { Reply } from '../reply/reply.ts'
import { unreachable } from '@callspec/python'
import { settledEvents } from './settled-events.ts'
import { issueItem } from './issue-item.ts'
import { stopLeft, stopWatch } from './stop-left.ts'

/** The reading side of a format that follows a reference whose answers may be taken back by what follows. */
export interface ReferenceReading {
  readonly createReader: (options?: ReadOptions) => ReplyReader
  readonly read: (text: string, options?: ReadOptions) => Reply
}

/**
 * Reads as the reference does: events say only what nothing can take back. A stop token at the end, which the reference
 * takes for text, is noted.
 */
export function referenceReading(format: BuiltInFormat, stops: readonly string[]): ReferenceReading {
  return {
    createReader: (options = {}) => startReader(format, stops, options),
    read: (text, options = {}) => {
      const outcome = format.parse(text, streamOptions(options))
      return replyOf(outcomeEvents(outcome), noteOf(outcome, stopLeft(text, stops)))
    },
  }
}

/** Behind what the reference raises nothing is said. */
function noteOf({ kind }: ParseOutcome, note: readonly IssueItem[]): readonly IssueItem[] {
  return kind === 'rejected' ? [] : note
}

function startReader(format: BuiltInFormat, stops: readonly string[], options: ReadOptions): ReplyReader {
  const asked = streamOptions(options)
  const parser = format.createStreamParser?.(asked) ?? bufferThenParse(format, asked)
  const settled = settledEvents()
  const watch = stopWatch(stops)
  return {
    push: (chunk) => {
      parser.push(chunk)
      watch.take(chunk)
      return settled.next(chunk, parser)
    },
    end: () => {
      const outcome = parser.snapshot()
      return [...settled.end(outcome), ...noteOf(outcome, watch.note())]
    },
    snapshot: () => {
      const fold = foldEvents()
      const outcome = parser.snapshot()
      fold.take([...outcomeEvents(outcome), ...noteOf(outcome, watch.note())])
      return fold.reply()
    },
  }
}

/** Member by member: a copy with `...` takes longer than the reading of a short reply. */
function streamOptions(options: ReadOptions): StreamOptions {
  const { version } = options
  if (version === undefined) return options
  const asked: { -readonly [Key in keyof StreamOptions]: StreamOptions[Key] } = { profile: version }
  if (options.toolChoice !== undefined) asked.toolChoice = options.toolChoice
  if (options.thoughtInContent !== undefined) asked.thoughtInContent = options.thoughtInContent
  if (options.parallelCalls !== undefined) asked.parallelCalls = options.parallelCalls
  if (options.codeMode !== undefined) asked.codeMode = options.codeMode
  if (options.stopWords !== undefined) asked.stopWords = options.stopWords
  if (options.tokenizer !== undefined) asked.tokenizer = options.tokenizer
  if (options.rawArguments !== undefined) asked.rawArguments = options.rawArguments
  if (options.onExamined !== undefined) asked.onExamined = options.onExamined
  return asked
}

/** What an outcome in the reference's form says. */
export function replyOfOutcome(outcome: ParseOutcome): Reply {
  return replyOf(outcomeEvents(outcome))
}

/** An outcome as events. */
function outcomeEvents(outcome: ParseOutcome): readonly ReplyEvent[] {
  if (outcome.kind === 'rejected') return [{ kind: 'rejected', error: outcome.error }, issueItem(outcome.issue)]
  const events: ReplyEvent[] = []
  for (const { content, reasoning_content: thought, function_call: call } of outcome.messages) {
    if (typeof thought === 'string' && thought !== '') events.push({ kind: 'reasoning', text: thought })
    if (content !== '') events.push({ kind: 'text', text: content })
    if (!call) continue
    events.push({ kind: 'call', name: call.name, id: null })
    events.push({ kind: 'arguments', text: call.arguments }, { kind: 'call-end' })
  }
  for (const issue of outcome.issues) events.push(issueItem(issue))
  return events
}

/** A reply in the reference's form: each item a message, its issues apart. */
export function outcomeOfReply({ items, error }: Reply): ParseOutcome {
  const messages: AssistantMessage[] = []
  const issues: IssueItem[] = []
  for (const item of items) {
    if (item.kind === 'issue') issues.push(item)
    else messages.push(messageOf(item))
  }
  const [first] = issues
  if (error !== null)
    return { kind: 'rejected', error, issue: first ?? { code: 'rejected', message: error.message, start: 0, end: 0 } }
  return { kind: 'parsed', messages, issues }
}

function messageOf(item: Exclude<ReplyItem, IssueItem>): AssistantMessage {
  const role = 'assistant'
  switch (item.kind) {
    case 'text':
      return { role, content: item.text }
    case 'reasoning':
      return { role, content: '', reasoning_content: item.text }
    case 'call': {
      const call = { name: item.name, arguments: item.arguments }
      if (item.id === null) return { role, content: '', function_call: call }
      return { role, content: '', function_call: call, extra: new Map([['function_id', item.id]]) }
    }
    default:
      return unreachable(item)
  }
}
