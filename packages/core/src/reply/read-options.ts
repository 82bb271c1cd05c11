import type { ToolChoice, ToolSpec } from '../format.ts'
import type { Tokenizer } from '../tokenizer.ts'

/** What a reader may know of the request, and how it is to read. What is left out is as the format's version has it. */
export interface ReadOptions {
  /** The version of the format's reference. Default: the format's first one. */
  readonly version?: string
  /** The tools of the request, bare or wrapped: values that stand as text are typed by their schemas. */
  readonly tools?: readonly ToolSpec[]
  /** What the prompt asked for. With `none` the text stays as it is. Default `auto`. */
  readonly toolChoice?: ToolChoice
  /** Whether the prompt had already opened a thought. Default false. */
  readonly thoughtInContent?: boolean
  /** Whether the prompt asked for thoughts, for formats whose marks around a thought are words otherwise. Default false. */
  readonly thinking?: boolean
  /** Whether all calls of the reply count (qwen). Default false: only the first does. */
  readonly parallelCalls?: boolean
  /** Whether code travels outside the JSON of a call (nous). Default false. */
  readonly codeMode?: boolean
  /** Versions of Qwen-Agent: cuts the reply at stop words first, the format's own or these. A grammar ends a turn at its own. Default: no cutting. */
  readonly stopWords?: 'default' | readonly string[]
  /** Needed for stop words that no format has, to know what is left of them when their last token is missing. */
  readonly tokenizer?: Tokenizer
  /** Leaves out the issues `arguments-not-json` and `arguments-not-object`, and with them the cost of reading arguments that travel as text. */
  readonly rawArguments?: boolean
  /** Is told how many characters the reader has looked at, for checking that the work is linear. */
  readonly onExamined?: (characters: number) => void
}
