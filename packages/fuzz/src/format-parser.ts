import { outcomeOfReply } from '@callspec/core/qwen-agent'
import { replyDeltas } from '@callspec/core'
import type { Format, FormatTraits, ReadOptions, StreamDelta } from '@callspec/core'
import type { FormatTokens, ParseOptions, PromptFormat } from '@callspec/core/qwen-agent'
import type { Writer } from './writer.ts'

/** Reads a stream and says at once what its deltas are. */
export interface DeltaStream {
  readonly push: (chunk: string) => readonly StreamDelta[]
  readonly end: () => readonly StreamDelta[]
}

/** A format as the laws ask it. */
export interface FormatParser extends PromptFormat {
  /** How a reply is written. */
  readonly write: Writer
  readonly createDeltaStream: (options?: ParseOptions) => DeltaStream
  /** Whether values stand as text: without the schemas of tools all of them are texts. */
  readonly hasTextValues: boolean
  /** Markers around calls that open or end none by themselves. */
  readonly wrappers: readonly string[]
  /** Around heads of messages, for formats that have them. */
  readonly head: Format['markers']['head']
  /** What is special about its calls, and about where they stand. */
  readonly traits: Pick<FormatTraits, 'identifiers' | 'callsInBody' | 'callsAlone'>
}

/**
 * A format of the registry, or one that is made like them, as its own parser. `strict` has no stop words to give: its grammar knows where a
 * turn ends.
 */
export function formatParser(format: Format, version?: string): FormatParser {
  return {
    id: format.id,
    stopWords: version === 'strict' ? [] : format.stops.words,
    tokens: tokensOf(format),
    hasTextValues: format.traits.typedValues,
    wrappers:
      format.markers.head === undefined ? format.markers.others : format.markers.others.concat(format.markers.callEnd),
    head: format.markers.head,
    traits: format.traits,
    // Histories are written reply by reply; a prompt with markers of its own would say more than the format's replies do.
    render: () => [],
    write: ({ prose, calls }) =>
      format.write([
        ...(prose === '' ? [] : [{ kind: 'text', text: prose } as const]),
        ...calls.map(({ name, arguments: text, id = null }) => ({ kind: 'call', name, arguments: text, id }) as const),
      ]),
    parse: (text, options) => outcomeOfReply(format.read(text, readOptions(options))),
    createStreamParser: (options) => {
      const reader = format.createReader(readOptions(options))
      return { push: (chunk) => void reader.push(chunk), snapshot: () => outcomeOfReply(reader.snapshot()) }
    },
    createDeltaStream: (options) => deltaStreamOf(format, options),
  }
}

/** The deltas that the reader of a format gives. */
export function deltaStreamOf(format: Pick<Format, 'createReader'>, options?: ParseOptions): DeltaStream {
  const reader = format.createReader(readOptions(options))
  const deltas = replyDeltas()
  return { push: (chunk) => deltas.next(reader.push(chunk)), end: () => deltas.end(reader.end()) }
}

/** Whether a value is such a parser. */
export function isFormatParser(format: PromptFormat): format is FormatParser {
  return 'createDeltaStream' in format && 'write' in format
}

function readOptions({
  profile,
  ...options
}: ParseOptions & { readonly onExamined?: (n: number) => void } = {}): ReadOptions {
  return { ...options, ...(typeof profile === 'string' ? { version: profile } : {}) }
}

/** Where calls are messages, only the head says so, and any message may end with the reply. */
function ofHeads({ open, close }: NonNullable<Format['markers']['head']>): FormatTokens {
  return { callStart: [open], callInner: [close], callEnd: [] }
}

function tokensOf({ markers, stops }: Format): FormatTokens {
  const { thought, head } = markers
  const { callStart, callInner, callEnd } = head === undefined ? markers : ofHeads(head)
  const others = head === undefined ? markers.others : [...markers.others, ...markers.callEnd]
  return {
    callStart,
    callInner,
    callEnd,
    ...(thought === null ? {} : { thought: { start: thought.open, end: thought.close } }),
    others: [...new Set([...others, ...stops.end])],
  }
}
