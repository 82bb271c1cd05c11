import { createParser } from 'eventsource-parser'

/** Takes a body apart as it comes. `push` and `end` give the data of every event that they complete. */
export interface EventReader {
  push(bytes: Uint8Array): readonly string[]
  /** The event that the body broke off in, if its data is there. */
  end(): readonly string[]
}

/** An event larger than this is given up: a whole answer is far smaller. */
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
