import type { NativeCall } from '../trace/completion.ts'
import type { CallBlock, Reading } from '../reading/call-block.ts'
import type { SplitThought } from '../reading/thought.ts'
import type { ToolSpec } from '../trace/task.ts'
import type { TurnQuestion } from '../trace/question.ts'

/**
 * How the replies of a format are read and judged. Pure, linear, and none throws. `question`: what a reply was asked for,
 * where the format asks for a call in parts; null elsewhere. `tools`: the offered ones, by whose schemas
 * values are typed that stand as text; null where nobody knows them.
 */
export interface FormatReader {
  /** The calls exactly as the format prescribes them: markers in place, standard JSON. */
  readonly readStrict: (text: string, question: TurnQuestion | null, tools?: readonly ToolSpec[] | null) => Reading
  /** The calls under the named repairs of `REPAIRS`. */
  readonly readLenient: (text: string, question: TurnQuestion | null, tools?: readonly ToolSpec[] | null) => Reading
  /** Where the calls stand, as strict reading sees them; none where a call has no marks of its own. */
  readonly blocks: (text: string) => readonly CallBlock[]
  /** The calls that stand beside the text, in a format whose calls do. Absent: calls are text. */
  readonly callBlocks?: (calls: readonly NativeCall[]) => readonly CallBlock[]
  /** What is thought, and what is said. Absent: thoughts stand in `<think>`. */
  readonly split?: (text: string) => SplitThought
  /** Whether a reply to another format speaks this one. */
  readonly speaks: (text: string) => boolean
  /** Where a call stands whose marks a server took for special tokens and left out; null for nowhere. */
  readonly eatenAt?: (text: string) => number | null
  /** What a host writes round a result or after it; outside a call it must not come from a model. */
  readonly hostMarks: readonly string[]
  /** What some servers leave at the end of a text, which is not the model's doing. */
  readonly stopWords: readonly string[]
  /** Whether the model wrote a result itself: the host's mark with something behind it. */
  readonly inventsResult: (text: string, question: TurnQuestion | null) => boolean
  /** Whether a text without a call has the form in which the format ends. */
  readonly hasFinalForm: (text: string, question: TurnQuestion | null) => boolean
  /** What the user gets to read of the last reply. */
  readonly finalText: (text: string, question: TurnQuestion | null) => string
  /** Whether a model says that it has finished; elsewhere it just stops calling. */
  readonly saysWhenDone: boolean
  /** Whether text before the calls, or after them, is worth a flag. */
  readonly flagsProse: { readonly before: boolean; readonly after: boolean }
}
