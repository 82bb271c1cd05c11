import type { PlainValue } from '@callspec/python'
import type { ToolDefinition } from '../messages/message.ts'
import type { Tokenizer } from '../tokenizer.ts'
import type { ReplyEvent } from './event.ts'
import type { Reply } from './item.ts'

/** Reads a reply while it arrives. */
export interface ReplyReader {
  /**
   * Takes the next chunk, which may be cut anywhere, also inside a surrogate pair. Returns what has become certain. Amortised O(chunk).
   *
   * @throws InputError for a chunk that is not a text
   */
  readonly push: (chunk: string) => readonly ReplyEvent[]
  /** Returns the rest. Call it last. */
  readonly end: () => readonly ReplyEvent[]
  /** The reply if it ends here. Changes nothing; costs the part that is not certain yet, and the answer. */
  readonly snapshot: () => Reply
}

/**
 * A tool as a caller gives it: an ordered map read with `loads`, or plain data with `name`, `description` and `parameters`.
 */
export type ToolSpec = ToolDefinition | { readonly [key: string]: PlainValue }

/** Which tool the model may call: any (`auto`), none, or exactly one. */
export type ToolChoice = 'auto' | 'none' | { readonly name: string }

/** What a reader may know of the request, and how it reads. The defaults are those of the format's version. */
export interface ReadOptions {
  /** The version of the format's reference. Default: the format's first one. */
  readonly version?: string
  /** The tools of the request, bare or wrapped: values that are written as text are typed by their schemas. */
  readonly tools?: readonly ToolSpec[]
  /** What the prompt requested. With `none` the text stays as it is. Default `auto`. */
  readonly toolChoice?: ToolChoice
  /** Whether the prompt had already opened a thought. Default false. */
  readonly thoughtInContent?: boolean
  /** Whether the prompt requested thoughts, for formats whose marks around a thought are words otherwise. Default false. */
  readonly thinking?: boolean
  /** Whether all calls of the reply count (qwen). Default false: only the first does. */
  readonly parallelCalls?: boolean
  /** Whether code travels outside the JSON of a call (nous). Default false. */
  readonly codeMode?: boolean
  /** Versions of Qwen-Agent: cuts the reply at stop words first, the format's own or these. A grammar ends a turn at its own. Default: no cutting. */
  readonly stopWords?: 'default' | readonly string[]
  /** Needed for stop words that no format has, to know what is left of them when their last token is missing. */
  readonly tokenizer?: Tokenizer
  /** Leaves out the issues `arguments-not-json` and `arguments-not-object`, and the cost of reading arguments that travel as text. */
  readonly rawArguments?: boolean
  /** For a reader that gives no snapshots: it keeps nothing of what it has emitted, so its memory does not grow with the reply. Default false. */
  readonly withoutSnapshots?: boolean
  /** Receives how many characters the reader has looked at, to check that the work is linear. */
  readonly onExamined?: (characters: number) => void
}
