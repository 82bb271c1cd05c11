import type { TurnQuestion } from '../trace/question.ts'
import type { CallLine } from '../trace/trace.ts'
import type { LabelledTurn } from '../score/label-turn.ts'
import type { TurnInput } from '../score/turn-input.ts'
import type { PromptView } from './prompt-view.ts'
import type { Exchange } from './way-causes.ts'

/** Everything the cause of a failed turn is looked for in. */
export interface FailedTurn extends LabelledTurn, Exchange {
  readonly input: TurnInput
  /** The calls that the host made for it. */
  readonly calls: readonly CallLine[]
  /** What the host asked for next; null for nothing in particular. A number that it understood leads to the arguments. */
  readonly askedNext: TurnQuestion | null
  readonly prompt: PromptView
  /** Whether the stop words of the format were sent. */
  readonly stopsSent: boolean
}
