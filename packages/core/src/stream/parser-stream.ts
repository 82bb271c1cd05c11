import type { ParseOutcome, PromptFormat, StreamOptions, StreamParser } from '../format.ts'
import { InputError } from '@callspec/python'
import { bufferThenParse } from './buffer-then-parse.ts'
import { createDeltas } from './deltas.ts'
import type { DeltaOptions, StreamDelta } from './deltas.ts'

/** How a stream of snapshots is made. */
export interface SnapshotStreamOptions extends StreamOptions {
  /** After how many chunks the parser is asked; a whole number. Default 1: after each. */
  readonly every?: number
}

/** How a stream of deltas is made. */
export interface ParserStreamOptions extends SnapshotStreamOptions, DeltaOptions {
  /** Asked once, at the end: whether the reply was cut off, as its service says. Default: it was not. */
  readonly isTruncated?: () => boolean
}

/** What a stream needs of a format. */
export type StreamedFormat = Pick<PromptFormat, 'parse' | 'createStreamParser'>

/**
 * A stream that takes a reply in chunks and gives its deltas (`createDeltas`), the last one with the finish reason. Where
 * its reader is slow, it waits.
 *
 * @throws InputError for a wrong option
 */
export function parserStream(
  format: StreamedFormat,
  options: ParserStreamOptions = {},
): TransformStream<string, StreamDelta> {
  const { isTruncated, ...rest } = options
  const deltas = createDeltas(options)
  return streamOf(format, rest, {
    next: (parser, text) => deltas.next(text, parser),
    end: (parser) => deltas.end(parser.snapshot(), { isTruncated: isTruncated?.() ?? false }),
  })
}

/**
 * A stream that takes a reply in chunks and gives snapshots: what `parse` says about all chunks so far. The last one is
 * that of the whole reply. Where its reader is slow, it waits.
 *
 * @throws InputError for a wrong option
 */
export function snapshotStream(
  format: StreamedFormat,
  options: SnapshotStreamOptions = {},
): TransformStream<string, ParseOutcome> {
  return streamOf(format, options, {
    next: (parser) => [parser.snapshot()],
    end: (parser, isNew) => (isNew ? [parser.snapshot()] : []),
  })
}

interface Emissions<T> {
  /** `text` is what was pushed since it was asked before. */
  readonly next: (parser: StreamParser, text: string) => readonly T[]
  /** `isNew`: whether chunks came that `next` has not been asked about, or none at all. */
  readonly end: (parser: StreamParser, isNew: boolean) => readonly T[]
}

function streamOf<T>(
  format: StreamedFormat,
  { every = 1, ...options }: SnapshotStreamOptions,
  emissions: Emissions<T>,
): TransformStream<string, T> {
  if (!Number.isInteger(every) || every < 1) {
    throw new InputError('every', `"${String(every)}" is not a number of chunks. Give 1 or more.`)
  }
  const parser = format.createStreamParser?.(options) ?? bufferThenParse(format, options)
  let waiting = 0
  let text = ''
  let isNew = true
  return new TransformStream<string, T>({
    transform: (chunk, controller) => {
      parser.push(chunk)
      text += chunk
      waiting++
      isNew = waiting < every
      if (isNew) return
      const asked = text
      waiting = 0
      text = ''
      for (const emission of emissions.next(parser, asked)) controller.enqueue(emission)
    },
    flush: (controller) => {
      for (const emission of emissions.end(parser, isNew)) controller.enqueue(emission)
    },
  })
}
