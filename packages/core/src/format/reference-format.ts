import type { AssistantMessage, BuiltInFormat, ParseOptions, ParseOutcome } from '../format.ts'
import { bufferThenParse } from '../stream/buffer-then-parse.ts'
import { foldEvents, replyOf } from '../reply/event.ts'
import type { ReplyEvent } from '../reply/event.ts'
import type { ReplyItem } from '../reply/item.ts'
import type { ReadOptions } from '../reply/read-options.ts'
import type { ReplyReader } from '../reply/reader.ts'
import type { Reply } from '../reply/reply.ts'
import { unreachable } from '@callspec/python'
import { settledEvents } from './settled-events.ts'
import { issueItem } from './issue-item.ts'

/** The reading side of a format that follows a reference whose answers may be taken back by what follows. */
export interface ReferenceReading {
  readonly createReader: (options?: ReadOptions) => ReplyReader
  readonly read: (text: string, options?: ReadOptions) => Reply
}

/** Reads as the reference does: events say only what nothing can take back. */
export function referenceReading(format: BuiltInFormat): ReferenceReading {
  return {
    createReader: (options = {}) => startReader(format, options),
    read: (text, options = {}) => replyOfOutcome(format.parse(text, parseOptions(options))),
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
      return settled.next(chunk, parser)
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
  return [...events, ...outcome.issues.map(issueItem)]
}

/** A reply in the reference's form: each item a message, its issues apart. */
export function outcomeOfReply({ items, error }: Reply): ParseOutcome {
  const issues = items.filter((item) => item.kind === 'issue')
  const [first] = issues
  if (error !== null)
    return { kind: 'rejected', error, issue: first ?? { code: 'rejected', message: error.message, start: 0, end: 0 } }
  return { kind: 'parsed', messages: items.flatMap(messageOf), issues }
}

function messageOf(item: ReplyItem): readonly AssistantMessage[] {
  const role = 'assistant'
  switch (item.kind) {
    case 'text':
      return [{ role, content: item.text }]
    case 'reasoning':
      return [{ role, content: '', reasoning_content: item.text }]
    case 'call':
      return [
        {
          role,
          content: '',
          function_call: { name: item.name, arguments: item.arguments },
          ...(item.id === null ? {} : { extra: new Map([['function_id', item.id]]) }),
        },
      ]
    case 'issue':
      return []
    default:
      return unreachable(item)
  }
}
