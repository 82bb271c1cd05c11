/** Takes a body apart as it comes. `push` and `end` give the data of every event that they complete. */
export interface EventReader {
  push(bytes: Uint8Array): readonly string[]
  /** The event that the body broke off in, if its data is there. */
  end(): readonly string[]
}

/** The field that counts, and the one that llama-server had for errors, with the same content. */
const DATA = ['data:', 'error:'] as const

/** An event larger than this is given up: a whole answer is far smaller. */
export const MAX_EVENT_UNITS = 16_000_000

/**
 * Reads `text/event-stream` by its specification: any of the three line ends, comments, `data:` with or without a blank,
 * several data lines per event, fields in any order. Linear in the body, however it is cut.
 *
 * @throws RangeError for an event beyond `MAX_EVENT_UNITS`
 */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder()
  const line = createLineReader()
  let data: string[] = []
  let units = 0
  const take = (lines: readonly string[]): readonly string[] => {
    const events: string[] = []
    for (const each of lines) {
      if (each !== '') {
        const value = DATA.find((field) => each.startsWith(field))
        if (value !== undefined) data.push(each.slice(value.length + (each.charAt(value.length) === ' ' ? 1 : 0)))
        units += each.length
        if (units > MAX_EVENT_UNITS) throw tooLarge()
        continue
      }
      if (data.length > 0) events.push(data.join('\n'))
      data = []
      units = 0
    }
    return events
  }
  return {
    push: (bytes) => take(line.push(decoder.decode(bytes, { stream: true }))),
    end: () => take([...line.push(decoder.decode()), ...line.end(), '']),
  }
}

interface LineReader {
  push(text: string): readonly string[]
  end(): readonly string[]
}

function createLineReader(): LineReader {
  let parts: string[] = []
  let units = 0
  let endedInReturn = false
  const finish = (rest: string): string => {
    const line = parts.length === 0 ? rest : parts.join('') + rest
    parts = []
    units = 0
    return line
  }
  return {
    push: (text) => {
      if (text === '') return []
      // A line feed behind a carriage return of the chunk before belongs to it.
      let at = endedInReturn && text.startsWith('\n') ? 1 : 0
      endedInReturn = text.endsWith('\r')
      const lines: string[] = []
      LINE_END.lastIndex = at
      for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
        lines.push(finish(text.slice(at, end.index)))
        at = LINE_END.lastIndex
      }
      if (at < text.length) parts.push(text.slice(at))
      units += text.length - at
      if (units > MAX_EVENT_UNITS) throw tooLarge()
      return lines
    },
    end: () => (parts.length === 0 ? [] : [finish('')]),
  }
}

function tooLarge(): RangeError {
  return new RangeError('an event of the stream is larger than 16 MB')
}

const LINE_END = /\r\n|\n|\r/g
