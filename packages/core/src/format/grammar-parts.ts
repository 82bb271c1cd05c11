import type { Conversation, PromptOutcome } from '../conversation/conversation.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { ReplyItem } from '../reply/item.ts'
import type { Format, FormatAbout, FormatMarkers, FormatNotes } from './format.ts'
import type { ItemSpelling } from './write-items.ts'

/** What writes the prompt of a conversation. */
type WritePrompt = (conversation: Conversation) => PromptOutcome

/** A format whose replies a grammar reads. */
export interface GrammarFormat extends FormatNotes {
  readonly id: string
  readonly about: FormatAbout
  readonly grammar: Grammar
  readonly spelling: ItemSpelling
  /** How a reply is written where no spelling of its items one by one can say it. */
  readonly write?: (items: readonly ReplyItem[]) => string
  /** Markers that cannot be read off the grammar, such as those of a head. */
  readonly markers?: Partial<FormatMarkers>
  readonly prompt: WritePrompt | null
  /** Which of the stops of the grammar hand over to the tools. Default: none. */
  readonly handOver?: readonly string[]
  /** Prompts of further versions, by the name of the version. */
  readonly versions?: { readonly [version: string]: WritePrompt }
}

const PARTS = new WeakMap<Format, GrammarFormat>()

/** Remembers what a format was made of. */
export function keepParts(format: Format, parts: GrammarFormat): void {
  PARTS.set(format, parts)
}

/**
 * What a format was made of, to make another one that differs in a piece; of nous what its version `strict` is made of. Null for
 * formats that no grammar reads.
 */
export function grammarParts(format: Format): GrammarFormat | null {
  return PARTS.get(format) ?? null
}
