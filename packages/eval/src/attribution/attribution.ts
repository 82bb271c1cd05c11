import type { Swallowed } from '../reading/swallowed.ts'
import type { RenderedPrompts } from './rendered.ts'
import type { EvalFormat } from '../formats/eval-format.ts'
import type { TurnLine, TurnQuestion, CallLine, EpisodeTrace } from '../trace/trace.ts'
import type { Attribution, Blamed } from '../trace/attribution.ts'
import type { LabelledTurn } from '../score/label-turn.ts'
import type { TurnInput } from '../score/turn-input.ts'
import type { PromptView } from './prompt-view.ts'
import type { EndLabel } from '@callspec/labels'
import type { ScoredTurn } from '../score/scored-turn.ts'
import type { Task } from '../trace/task.ts'
import type { MadeCall } from '../score/verdict.ts'

/** One line of a table of causes. */
export interface AttributionRule<View> {
  readonly id: string
  readonly blames: Blamed
  /** When it holds, for people. */
  readonly means: string
  /** What shows it; null where the rule does not hold. */
  readonly evidence: (view: View) => string | null
  readonly detail?: (view: View) => string | null
  /** Which count of the server shows it; absent for a rule that holds whatever a server counts. */
  readonly restsOn?: CountName
}

/** A count of `usage`. */
export type CountName = 'prompt' | 'completion'

/** The first rule that holds, with the next one that rests on no count; null for none. */
export function attribute<View>(rules: readonly AttributionRule<View>[], view: View): Attribution | null {
  for (const { id, blames, evidence, detail, restsOn } of rules) {
    const found = evidence(view)
    if (found === null) continue
    const cause = { blames, rule: id, detail: detail?.(view) ?? null, evidence: found }
    const instead = restsOn === undefined ? null : attribute(withoutCounts(rules), view)
    return instead === null ? cause : { ...cause, instead }
  }
  return null
}

/** The rules that hold whatever a server counts. */
export function withoutCounts<View>(rules: readonly AttributionRule<View>[]): readonly AttributionRule<View>[] {
  return rules.filter(({ restsOn }) => restsOn === undefined)
}

/** A reply as it came, and what was asked for. */
export interface Exchange {
  readonly format: EvalFormat
  readonly line: TurnLine
  /** What the model is called in requests and reports; empty where that is not known. */
  readonly asked: readonly string[]
  readonly rendered: RenderedPrompts
  readonly lost: LostTexts
}

/** What the counts of an episode say of texts that did not arrive. */
export interface LostTexts {
  /** What is missing from the reply of a turn without a call; null where nothing shows that anything is. */
  readonly of: (turn: number) => Swallowed | null
  /** Whether every request forces a call. */
  readonly forcesCall: boolean
}

/** A cause that shows in what was sent and what came, whatever the reply says. */
export type TransportCause = AttributionRule<Exchange>

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

/** Everything the cause of a failed episode is looked for in. */
export interface FailedEpisode extends Omit<Exchange, 'line'> {
  readonly trace: EpisodeTrace
  readonly end: EndLabel
  /** Why the verdict did not pass; empty when it did. */
  readonly reasons: readonly string[]
  readonly turns: readonly ScoredTurn[]
  readonly calls: readonly MadeCall[]
  readonly task: Pick<Task, 'goldCalls' | 'maxModelCalls'>
  /** The task and the results so far, before each turn. */
  readonly givenBefore: (turn: number) => readonly string[]
  readonly prompt: Omit<PromptView, 'given'>
  /** Whether the verdict would pass if the last reply were this text. */
  readonly wouldPass: (final: string) => boolean
}

/** An episode takes over the cause of the turn that ended it, or it has one of its own. */
export type EpisodeCause = AttributionRule<FailedEpisode>
