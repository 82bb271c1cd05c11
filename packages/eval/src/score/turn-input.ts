import type { NativeCall } from '../trace/completion.ts'
import type { EvalFormat } from '../formats/eval-format.ts'
import type { TurnQuestion } from '../trace/trace.ts'
import type { TaskLanguage, ToolSpec } from '../trace/task.ts'

/** One completion, as it came. */
export interface TurnInput {
  readonly format: EvalFormat
  readonly text: string
  /** What the server sent as reasoning; null or empty for none. */
  readonly reasoning: string | null
  /** Calls that stand beside the text; none where calls are text. */
  readonly toolCalls?: readonly NativeCall[]
  /** As the server gave it. */
  readonly finishReason: string | null
  /** What the reply was asked for; null or absent where it may be anything. */
  readonly question?: TurnQuestion | null
  /** Whether there is no completion at all, after every retry. */
  readonly failed: boolean
  /** Whether it was cut because it did not end, or its server could not read it; null or absent for a whole reply. */
  readonly broken?: 'never-ends' | 'unparsed-output' | null
  /** The offered tools; null when they are not known, and names and arguments are then not judged. */
  readonly tools: readonly ToolSpec[] | null
  /** Whether the server was told the stop words: then one at the end of the text is its doing, and no leak. Default: yes. */
  readonly stopWordsSent?: boolean
  /** The language of the task; absent where it is not known. */
  readonly language?: TaskLanguage
  /** What stood in the prompt: the task and the results so far. What a reply quotes from it is no leak and no call. */
  readonly given?: readonly string[]
  /** Tokens of the reply as the server counted them, and how many it might have had; absent where one is not known. */
  readonly completionTokens?: number | null
  readonly maxTokens?: number | null
}
