import type { Format } from '@callspec/core'
import { callText } from './call-spelling.ts'
import { type ElementSpelling, closeOf } from './element-spelling.ts'
import type { ReplySpelling } from './reply-spelling.ts'
import { readProbe, sharedStart } from './writer-probe.ts'

/** Lists and objects as elements in an element. */
export type NestedValues = {
  readonly open: (key: string) => string
  readonly close: (key: string) => string
  /** The key of the elements of a list. */
  readonly item: string
  /** What a text cannot hold: it begins the mark of an element. */
  readonly mark: string
  /** How an empty list and an empty object are written: by the writer, and as the reader takes them, too. */
  readonly empty: { readonly array: readonly string[]; readonly object: readonly string[] }
}

const NAME = 'zqone'
const KEY = 'zqkey'
const EMPTY = { array: [], object: {} } as const

/** Learns how a format writes lists and objects as elements; null for one that writes them as one text. */
export function nestedValues(format: Format, reply: ReplySpelling, elements: ElementSpelling): NestedValues | null {
  if (!elements.nested) return null
  const { item } = elements.nested
  const open = (key: string): string => elements.open + key + elements.middle.object
  const close = (key: string): string => closeOf(elements, key)
  const start = elements.open.slice(0, sharedStart(elements.open, close(item)))
  const emptyTexts = (type: 'array' | 'object'): readonly string[] => {
    const call = callText(format, reply, { name: NAME, given: { [KEY]: EMPTY[type] } })
    const [from, to] = [(elements.lead + open(KEY)).length, call.length - (close(KEY) + elements.end).length]
    const bare = reply.lead + reply.section.open + call.slice(0, from) + call.slice(to) + reply.section.close
    const tool = { name: NAME, parameters: { type: 'object', properties: { [KEY]: { type } } } }
    const [read] = readProbe(format, bare, [tool]) ?? []
    const isRead = JSON.stringify(read?.arguments) === JSON.stringify({ [KEY]: EMPTY[type] })
    return [...new Set([call.slice(from, to), ...(isRead ? [''] : [])])]
  }
  return {
    ...{ open, close, item },
    mark: format.specialTokens?.tokens.find((token) => start.startsWith(token)) ?? start,
    empty: { array: emptyTexts('array'), object: emptyTexts('object') },
  }
}
