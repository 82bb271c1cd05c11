import { grammarReaders } from '../../src/grammar/reader.ts'
import type { Grammar } from '../../src/grammar/grammar.ts'
import { replyOf } from '../../src/reply/event.ts'
import type { ReplyEvent } from '../../src/reply/event.ts'
import type { ReplyItem } from '../../src/reply/item.ts'
import type { ReadOptions } from '../../src/reply/read-options.ts'

/** What a grammar makes of chunks. */
export function readChunks(grammar: Grammar, chunks: readonly string[], options?: ReadOptions): readonly ReplyItem[] {
  const reader = grammarReaders(grammar).createReader(options)
  const events: ReplyEvent[] = chunks.flatMap((chunk) => reader.push(chunk))
  return replyOf([...events, ...reader.end()]).items
}

/** A text cut before each of the offsets. */
export function cutAt(text: string, offsets: readonly number[]): readonly string[] {
  const places = [0, ...offsets.toSorted((one, other) => one - other), text.length]
  return places.slice(1).map((end, index) => text.slice(places[index], end))
}

/** Items without the words of their issues: `cut 3–9`. */
export function shown(items: readonly ReplyItem[]): readonly unknown[] {
  return items.map((item) => {
    switch (item.kind) {
      case 'call':
        return { [item.name]: item.arguments, ...(item.id === null ? {} : { id: item.id }) }
      case 'issue':
        return `${item.code} ${item.start}–${item.end}`
      case 'reasoning':
        return { thought: item.text }
      default:
        return item.text
    }
  })
}
