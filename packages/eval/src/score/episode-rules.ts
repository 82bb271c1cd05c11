import { TURN_LABELS } from '@callspec/labels'
import type { EndLabel, TurnLabel } from '@callspec/labels'
import type { FormatReader } from '../formats/eval-format.ts'
import type { EpisodeTrace } from '../trace/trace.ts'
import { leavesNoRoom } from './leaves-no-room.ts'
import type { ScoredTurn } from './scored-turn.ts'

/** Everything the rules ask about an episode. */
export interface EpisodeView {
  readonly trace: EpisodeTrace
  readonly reader: FormatReader
  readonly turns: readonly ScoredTurn[]
  readonly last: ScoredTurn | null
  /** The turns that the host ended on: the last one, and before an answer that was asked for the one that led to it. */
  readonly ending: readonly ScoredTurn[]
  /** How many calls the host made for the last turn. */
  readonly lastCalls: number
  readonly loop: 'repeat_loop' | 'tool_error_spiral' | null
}

/** One line of the termination taxonomy. */
export interface EpisodeRule {
  readonly label: EndLabel
  /** What it takes, in one sentence. */
  readonly means: string
  readonly applies: (view: EpisodeView) => boolean
}

/** The termination taxonomy in its order: the first rule that fits gives the label. `no_tool_stop` always fits. */
export const EPISODE_RULES: readonly EpisodeRule[] = [
  {
    label: 'infra_error',
    means: 'There was no reply, after every retry.',
    applies: (view) => view.last === null || failedAs(view, 'infra', 'configuration', 'unreachable'),
  },
  {
    label: 'refused',
    means: 'A content filter took the last reply.',
    applies: (view) => failedAs(view, 'refused') || view.last?.finish === 'content_filter',
  },
  {
    label: 'context_overflow',
    means: 'The prompt was too long for the model, or left no room for a single token.',
    applies: (view) => failedAs(view, 'context') || leftNoRoom(view),
  },
  {
    label: 'runaway',
    means: 'The last reply did not end: the time-out or the size limit cut it.',
    applies: (view) => failedAs(view, 'never-ends'),
  },
  {
    label: 'truncated',
    means: 'The last reply was cut off.',
    applies: ({ ending }) => ending.some((turn) => turn.strict === 'truncated'),
  },
  {
    label: 'empty_output',
    means: 'The last reply was blank.',
    applies: ({ ending }) => ending.some((turn) => turn.strict === 'empty'),
  },
  {
    label: 'hallucinated_observation',
    means: 'The answer rests on a result that the model wrote itself: no call was made since.',
    applies: answersFromInvention,
  },
  {
    label: 'parse_dead_end',
    means: 'A call was meant in the last reply, but the host saw none and ended, or broke.',
    applies: isDeadEnd,
  },
  {
    label: 'repeat_loop',
    means:
      'The same call with the same result more often than the task allows, or a cycle of up to three calls, three times.',
    applies: ({ loop }) => loop === 'repeat_loop',
  },
  {
    label: 'tool_error_spiral',
    means: 'Four failing calls in a row that are not all the same.',
    applies: ({ loop }) => loop === 'tool_error_spiral',
  },
  {
    label: 'budget_exhausted',
    means: 'The calls of the model were used up.',
    applies: ({ trace }) => trace.end.reason === 'limit',
  },
  {
    label: 'final_answer',
    means: 'The model said that it has finished, in the words of the format.',
    applies: ({ reader, last }) => reader.saysWhenDone && last !== null && isFinalAnswer(last),
  },
  {
    label: 'no_tool_stop',
    means: 'The model just stopped calling.',
    applies: () => true,
  },
]

/** Whether a reply has the form in which the format ends, be it before an end mark that a server left there. */
export function isFinalAnswer({
  strict,
  lenient,
  endMarkKept,
}: Pick<ScoredTurn, 'strict' | 'lenient' | 'endMarkKept'>): boolean {
  return strict === 'final_answer' || (endMarkKept && lenient === 'final_answer')
}

/** The labels of turns in which a call was meant. */
export const ATTEMPTS: ReadonlySet<TurnLabel> = new Set(TURN_LABELS.filter((label) => !isNoAttempt(label)))

function isNoAttempt(label: TurnLabel): boolean {
  return ['infra_error', 'truncated', 'empty', 'final_answer', 'no_tool_text'].includes(label)
}

function failedAs({ trace }: EpisodeView, ...kinds: readonly string[]): boolean {
  const failure = trace.turns.at(-1)?.failure ?? null
  return failure !== null && kinds.includes(failure.kind)
}

function leftNoRoom({ trace }: EpisodeView): boolean {
  const last = trace.turns.at(-1)
  return last !== undefined && last.failure === null && leavesNoRoom(last)
}

/** A result was invented, and no call has been made since, not even the one before the invention. */
function answersFromInvention({ trace, turns }: EpisodeView): boolean {
  const invented = turns.findLastIndex((turn) => turn.strict === 'hallucinated_observation')
  return invented >= 0 && !trace.calls.some((call) => call.turn >= invented)
}

/** The model meant to go on, but the host saw no call and ended (or broke): nobody is told. */
function isDeadEnd({ trace, ending, lastCalls }: EpisodeView): boolean {
  if (ending.length === 0 || lastCalls > 0 || trace.end.reason === 'guard') return false
  return trace.end.reason === 'raised' || ending.some(meantToGoOn)
}

function meantToGoOn({ strict, lenient, saysEnd, endMarkKept }: ScoredTurn): boolean {
  return !saysEnd && !endMarkKept && (ATTEMPTS.has(strict) || ATTEMPTS.has(lenient))
}
