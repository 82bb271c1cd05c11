import type { NativeCall } from '../client/completion.ts'
import type { TurnFlag, TurnLabel } from '../labels.ts'
import type { Protocol } from '../protocol.ts'
import type { TurnQuestion } from '../protocols/question.ts'
import type { ToolSpec } from '../suite/task.ts'
import type { ArgumentReason } from '../world/argument-issues.ts'
import type { Problem, Repair } from './call-block.ts'
import { argumentReasons, viewTurn } from './view-turn.ts'
import type { TurnView } from './view-turn.ts'
import { TURN_RULES } from './turn-rules.ts'
import type { TurnRule } from './turn-rules.ts'
import { flagsOf } from './turn-flags.ts'

/** One completion, as it came. */
export interface TurnInput {
  readonly protocol: Protocol
  readonly text: string
  /** What the server sent as reasoning; null or empty for none. */
  readonly reasoning: string | null
  /** Calls that stand beside the text; none where calls are text. */
  readonly toolCalls?: readonly NativeCall[]
  readonly finishReason: string | null
  /** What the reply was asked for; null or absent where it may be anything. */
  readonly question?: TurnQuestion | null
  /** Whether there is no completion at all, after every retry. */
  readonly failed: boolean
  /** The offered tools; null when they are not known, and names and arguments are then not judged. */
  readonly tools: readonly ToolSpec[] | null
}

/** What one reply of a model is worth. */
export interface TurnScore {
  /** Without repairs. Never `recovered`. */
  readonly strict: TurnLabel
  /** With them. */
  readonly lenient: TurnLabel
  /** What it took to read the calls; empty unless the lenient label needed it. */
  readonly repairs: readonly Repair[]
  /** Why the strict reader found no call, where one was meant. */
  readonly problem: Problem | null
  /** What is wrong with the arguments, for `bad_args_schema`. */
  readonly reasons: readonly ArgumentReason[]
  readonly flags: readonly TurnFlag[]
  /** For a call that is hidden or followed by an invention: whether cutting there leaves a good call. */
  readonly salvageable: boolean
  /** Whether the reply says, perhaps with repairs, that the model has finished: -1. False where no number is asked for. */
  readonly saysEnd: boolean
}

/**
 * Labels one completion: the first rule that fits, once without and once with repairs. Pure; never throws on model
 * text; linear in it.
 *
 * @param rules the rules in order; another list than the default one is for tests
 */
export function labelTurn(input: TurnInput, rules: readonly TurnRule[] = TURN_RULES): TurnScore {
  const { strict: strictView, lenient: lenientView } = viewTurn(input)
  const strict = firstLabel(rules, strictView)
  const lenient = firstLabel(rules, lenientView)
  return {
    strict,
    lenient,
    repairs:
      lenient === 'recovered' || lenient === 'hallucinated_tool' || lenient === 'bad_args_schema'
        ? lenientView.reading.repairs
        : [],
    problem: strictView.reading.problem,
    reasons: lenient === 'bad_args_schema' ? argumentReasons(lenientView) : [],
    flags: flagsOf(strictView),
    salvageable: lenientView.salvageable,
    saysEnd: lenientView.reading.isEnd === true,
  }
}

function firstLabel(rules: readonly TurnRule[], view: TurnView): TurnLabel {
  // The last rule always fits; a shortened list in a test may lack it.
  return rules.find((rule) => rule.applies(view))?.label ?? 'no_tool_text'
}
