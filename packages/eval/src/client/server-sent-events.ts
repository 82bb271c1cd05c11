import { createParser } from 'eventsource-parser'

/** Splits a body while it arrives. `push` and `end` return the data of every event that they complete. */
export interface EventReader {
  push(bytes: Uint8Array): readonly string[]
  /** The last event, if the body ended before its blank line. */
  end(): readonly string[]
}

/** A larger event is an error: a whole reply is far smaller. */
export const MAX_EVENT_UNITS = 16_000_000

/**
 * Reads `text/event-stream`. Linear in the body, however it is cut.
 *
 * @throws RangeError for an event beyond `MAX_EVENT_UNITS`
 */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder()
  let events: string[] = []
  const parser = createParser({
    maxBufferSize: MAX_EVENT_UNITS,
    onEvent: ({ data }) => {
      events.push(data)
    },
    onError: ({ type, field, value = '' }) => {
      if (type === 'max-buffer-size-exceeded') throw new RangeError('an event of the stream is larger than 16 MB')
      // llama-server once wrote errors into a field of their own, with the content that others put into data.
      if (field === 'error') events.push(value)
    },
  })
  const take = (text: string): readonly string[] => {
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
