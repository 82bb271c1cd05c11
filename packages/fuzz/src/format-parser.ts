import { outcomeOfReply } from '@callspec/core/qwen-agent'
import { InputError, replyDeltas } from '@callspec/core'
import type { Format, FormatTraits, ReadOptions, ReplyItem, StreamDelta } from '@callspec/core'
import type { FormatTokens, ParseOptions, PromptFormat } from '@callspec/core/qwen-agent'
import type { ReplyWriter } from './language.ts'

/** Turns chunks into deltas. */
export interface DeltaStream {
  readonly push: (chunk: string) => readonly StreamDelta[]
  readonly end: () => readonly StreamDelta[]
}

/** A format of the registry in the shape that the laws need. */
export interface FormatParser extends PromptFormat {
  readonly write: ReplyWriter
  readonly createDeltaStream: (options?: ParseOptions) => DeltaStream
  /** Whether argument values are written as text, and are strings unless a schema says otherwise. */
  readonly hasTextValues: boolean
  /** Markers around calls that neither open nor end one by themselves. */
  readonly wrappers: readonly string[]
  /** Markers around heads of messages. */
  readonly head: Format['markers']['head']
  readonly traits: Pick<FormatTraits, 'identifiers' | 'callsInBody' | 'callsAlone'>
}

/**
 * A format of the registry, or a user's format of the same shape. Under `strict` there are no stop words: the grammar knows where a turn
 * ends.
 */
export function formatParser(format: Format, version?: string): FormatParser {
  return {
    id: format.id,
    stopWords: version === 'strict' ? [] : format.stops.words,
    tokens: parserTokens(format),
    hasTextValues: format.traits.typedValues,
    wrappers: areCallsMessages(format) ? format.markers.others.concat(format.markers.callEnd) : format.markers.others,
    head: format.markers.head,
    traits: format.traits,
    // Not used: `write` writes the replies.
    render: () => [],
    write: ({ prose, calls }) =>
      writeAll(format, [
        ...(prose === '' ? [] : [{ kind: 'text', text: prose } as const]),
        ...calls.map(({ name, arguments: text, id = null }) => ({ kind: 'call', name, arguments: text, id }) as const),
      ]),
    parse: (text, options) => outcomeOfReply(format.read(text, readerOptions(options))),
    createStreamParser: (options) => {
      const reader = format.createReader(readerOptions(options))
      return { push: (chunk) => void reader.push(chunk), snapshot: () => outcomeOfReply(reader.snapshot()) }
    },
    createDeltaStream: (options) => deltaStreamOf(format, options),
  }
}

/** Calls that no reply of the format holds together are written one after the other: a text to read, and no reply. */
function writeAll(format: Format, items: readonly ReplyItem[]): string {
  try {
    return format.write(items)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const second = items.findIndex(({ kind }, index) => kind === 'call' && items[index - 1]?.kind === 'call')
    return [items.slice(0, second), ...items.slice(second).map((item) => [item])]
      .map((all) => format.write(all))
      .join('')
  }
}

export function deltaStreamOf(format: Pick<Format, 'createReader'>, options?: ParseOptions): DeltaStream {
  const reader = format.createReader(readerOptions(options))
  const deltas = replyDeltas()
  return { push: (chunk) => deltas.next(reader.push(chunk)), end: () => deltas.end(reader.end()) }
}

export function isFormatParser(format: PromptFormat): format is FormatParser {
  return 'createDeltaStream' in format && 'write' in format
}

function readerOptions({
  profile,
  ...options
}: ParseOptions & { readonly onExamined?: (n: number) => void } = {}): ReadOptions {
  return { ...options, ...(typeof profile === 'string' ? { version: profile } : {}) }
}

/** Whether a message with a head is a call; not where calls have tags of their own in a message. */
function areCallsMessages({ markers, traits }: Pick<Format, 'markers' | 'traits'>): boolean {
  return markers.head !== undefined && !traits.typedValues
}

/** Where calls are messages, the head marks a call, and the end of the reply may end it. */
function headTokens({ open, close }: NonNullable<Format['markers']['head']>): FormatTokens {
  return { callStart: [open], callInner: [close], callEnd: [] }
}

function parserTokens({ markers, traits, stops }: Format): FormatTokens {
  const { thought } = markers
  const head = areCallsMessages({ markers, traits }) ? markers.head : undefined
  const { callStart, callInner, callEnd } = head === undefined ? markers : headTokens(head)
  const others = head === undefined ? markers.others : [...markers.others, ...markers.callEnd]
  return {
    callStart,
    callInner,
    callEnd,
    ...(thought === null ? {} : { thought: { start: thought.open, end: thought.close } }),
    others: [...new Set([...others, ...stops.end])],
  }
}
