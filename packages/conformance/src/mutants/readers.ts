import type { Format, ReadOptions, Reply, ReplyEvent, ReplyItem, ReplyReader } from '@callspec/core'

type CreateReader = (options?: ReadOptions) => ReplyReader

/** Reads rightly, and changes what was read. Nothing is told before the end: it may all be changed. */
export function changedReader(
  right: Format,
  change: (items: readonly ReplyItem[]) => readonly ReplyItem[],
): CreateReader {
  return (options) => {
    const reader = right.createReader(options)
    const read = (): Reply => {
      const reply = reader.snapshot()
      return { ...reply, items: change(reply.items) }
    }
    return {
      push: (chunk) => {
        reader.push(chunk)
        return []
      },
      end: () => eventsOf(read()),
      snapshot: read,
    }
  }
}

/** Changes the text before it is read. */
export function bufferedReader(right: Format, change: (text: string) => string): CreateReader {
  return (options = {}) => {
    const { onExamined, ...rest } = options
    let text = ''
    const read = (): Reply => right.read(change(text), rest)
    return {
      push: (chunk) => {
        text += chunk
        // The mistake is none of speed: what is read again here is counted once.
        onExamined?.(chunk.length)
        return []
      },
      end: () => eventsOf(read()),
      snapshot: read,
    }
  }
}

/** Changes the pieces of a stream; `gap` is taken out of what is read. */
export function chunkedReader(right: Format, createChange: () => (chunk: string) => string, gap: string): CreateReader {
  return (options) => {
    const reader = right.createReader(options)
    const change = createChange()
    return {
      push: (chunk) => reader.push(change(chunk)).map((event) => withoutGap(event, gap)),
      end: () => reader.end().map((event) => withoutGap(event, gap)),
      snapshot: () => {
        const reply = reader.snapshot()
        return { ...reply, items: reply.items.map((item) => withoutGap(item, gap)) }
      },
    }
  }
}

function withoutGap<Given extends ReplyItem | ReplyEvent>(given: Given, gap: string): Given {
  return 'text' in given ? { ...given, text: given.text.replaceAll(gap, '') } : given
}

/** Looks at everything that has come with every piece: right, and slow. */
export function rereadingReader(right: Format): CreateReader {
  return (options = {}) => {
    const { onExamined, ...rest } = options
    const reader = right.createReader(rest)
    let length = 0
    return {
      ...reader,
      push: (chunk) => {
        length += chunk.length
        onExamined?.(length)
        return reader.push(chunk)
      },
    }
  }
}

/** The events that come to a reply. */
function eventsOf({ items, error }: Reply): readonly ReplyEvent[] {
  const events = items.flatMap((item): readonly ReplyEvent[] => {
    // Two texts that stand apart stay two.
    if (item.kind === 'text' || item.kind === 'reasoning') return [{ ...item, begins: true }]
    if (item.kind !== 'call') return [item]
    const { name, id, arguments: text } = item
    return [{ kind: 'call', name, id }, { kind: 'arguments', text }, { kind: 'call-end' }]
  })
  return error === null ? events : [{ kind: 'rejected', error }]
}
