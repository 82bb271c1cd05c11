import { createParser } from 'eventsource-parser'
import { isDict, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** One server-sent event. */
export interface SentEvent {
  /** The field `event`; empty without one. */
  readonly name: string
  readonly data: string
}

/** Splits a body while it arrives. `push` and `end` return the events that they complete. */
export interface EventReader {
  push(bytes: Uint8Array): readonly SentEvent[]
  /** The last event, if the body ended before its blank line. */
  end(): readonly SentEvent[]
}

/** A larger event is an error: a whole reply is far smaller. In UTF-16 units. */
export const MAX_EVENT_UNITS = 16_000_000

/**
 * Reads `text/event-stream`. Linear in the body, however it is cut.
 *
 * @throws RangeError for an event beyond `MAX_EVENT_UNITS`
 */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder()
  let events: SentEvent[] = []
  const parser = createParser({
    maxBufferSize: MAX_EVENT_UNITS,
    onEvent: ({ event = '', data }) => {
      events.push({ name: event, data })
    },
    onError: ({ type, field, value = '' }) => {
      if (type === 'max-buffer-size-exceeded') throw new RangeError('an event of the stream is larger than 16 MB')
      // llama-server once wrote errors into a field of their own, with the content that others put into data.
      if (field === 'error') events.push({ name: '', data: value })
    },
  })
  const take = (text: string): readonly SentEvent[] => {
    events = []
    parser.feed(text)
    return events
  }
  return {
    push: (bytes) => take(decoder.decode(bytes, { stream: true })),
    // The blank line that a body breaks off before.
    end: () => take(`${decoder.decode()}\n\n`),
  }
}

/** The mark with which chat streams end. */
export const DONE = '[DONE]'

/** The JSON map in a text, without loss; null for any other text. */
export function dictOf(text: string): PyDict | null {
  try {
    return dictOr(loads(text))
  } catch {
    // Not JSON, or nested too deeply to be read.
    return null
  }
}

/** The dict; null for any other value. */
export function dictOr(value: PyValue | undefined): PyDict | null {
  return isDict(value) ? value : null
}

/** The list; an empty one for any other value. */
export function listOr(value: PyValue | undefined): readonly PyValue[] {
  return Array.isArray(value) ? (value as readonly PyValue[]) : []
}

/** The text; the empty one for any other value. */
export function textOr(value: PyValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** The int from 0 that JavaScript can count; null for any other value. */
export function indexOr(value: PyValue | undefined): number | null {
  return typeof value === 'bigint' && value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null
}

/** In which way the name of an event is not the type in its data. */
export function nameFault(name: string, type: string): string {
  if (name === '') return 'there is no name'
  return type === ''
    ? `the data of ${name.slice(0, 60)} has no type`
    : `${name.slice(0, 60)} is not ${type.slice(0, 60)}`
}
