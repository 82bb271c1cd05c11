import { foldEvents, formatNamed, FORMATS } from '@callspec/core'
import type { Format, ReadOptions, Reply, ReplyEvent } from '@callspec/core'
import { versionFor } from '@callspec/core/identify'
import { isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** A reply and the settings to read it with. */
export interface ReplyRequest {
  readonly text: string
  /** Empty for `strict`, or for the format's first version if it has no `strict`. */
  readonly version: string
  readonly parallelCalls: boolean
  readonly thoughtInContent: boolean
  readonly tools: readonly PyValue[]
}

/** The format with this id, or the first one. */
export function formatOrFirst(id: string): Format {
  const found = formatNamed(id) ?? FORMATS[0]
  if (found === undefined) throw new Error('there is no format')
  return found
}

/** The versions that can read, the default first. */
export function versionsThatRead({ readVersions, versions }: Format): readonly string[] {
  return readVersions ?? versions
}

/** The options of a request, as `callspec parse` fills them in: the reply is cut at the format's own stop words. */
export function readOptions(
  format: Format,
  { version, parallelCalls, thoughtInContent, tools }: Omit<ReplyRequest, 'text'>,
): ReadOptions {
  return {
    version: versionsThatRead(format).includes(version) ? version : versionFor(format),
    parallelCalls,
    thoughtInContent,
    tools: tools.filter((tool): tool is PyDict => isDict(tool)),
    stopWords: 'default',
  }
}

/** The reading of a reply. */
export function readAs(format: Format, request: ReplyRequest): Reply {
  return format.read(request.text, readOptions(format, request))
}

/** An event, and how much of the reply had arrived when it was emitted. */
export interface EmittedEvent {
  readonly event: ReplyEvent
  /** In UTF-16 units; null if it was emitted at the end. */
  readonly emittedAt: number | null
}

/** A reply is read in no more than so many steps. */
const MOST_STEPS = 200_000

/** How many units of a reply are read at a time: one, unless it is very long. */
export function stepOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / MOST_STEPS))
}

/** Reads a reply unit by unit, with the time of each event. Linear. */
export function emittedEvents(format: Format, text: string, options: ReadOptions): readonly EmittedEvent[] {
  const reader = format.createReader(options)
  const all: EmittedEvent[] = []
  const step = stepOf(text)
  for (let at = 0; at < text.length; at += step)
    for (const event of reader.push(text.slice(at, at + step)))
      all.push({ event, emittedAt: Math.min(at + step, text.length) })
  for (const event of reader.end()) all.push({ event, emittedAt: null })
  return all
}

/** The reply that events make. */
export function replyOfEvents(events: readonly EmittedEvent[]): Reply {
  const fold = foldEvents()
  fold.take(events.map(({ event }) => event))
  return fold.reply()
}
