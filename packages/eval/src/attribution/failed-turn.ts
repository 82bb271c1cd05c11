import type { CallLine, TurnLine } from '../run/trace.ts'
import type { LabelledTurn, TurnInput } from '../score/label-turn.ts'
import type { PromptView } from './prompt-view.ts'

/** Everything the cause of a failed turn is looked for in. */
export interface FailedTurn extends LabelledTurn {
  readonly input: TurnInput
  readonly line: TurnLine
  /** The calls that the host made for it. */
  readonly calls: readonly CallLine[]
  readonly prompt: PromptView
}
