import type { EndLabel, TurnLabel } from '../labels.ts'
import type { Dialect } from '../protocols/dialect.ts'
import type { EpisodeTrace } from '../run/trace.ts'
import type { TurnScore } from './label-turn.ts'

/** Everything the rules ask about an episode. */
export interface EpisodeView {
  readonly trace: EpisodeTrace
  readonly dialect: Dialect
  readonly turns: readonly TurnScore[]
  readonly last: TurnScore | null
  /** The turns that the host ended on: the last one, and before an answer that was asked for the one that led to it. */
  readonly ending: readonly TurnScore[]
  /** How many calls the host made for the last turn. */
  readonly lastCalls: number
  readonly loop: 'repeat_loop' | 'tool_error_spiral' | null
}

/** One line of the termination taxonomy. */
export interface EpisodeRule {
  readonly label: EndLabel
  readonly applies: (view: EpisodeView) => boolean
}

/** The termination taxonomy in its order: the first rule that fits gives the label. `no_tool_stop` always fits. */
export const EPISODE_RULES: readonly EpisodeRule[] = [
  {
    label: 'infra_error',
    applies: (view) => view.last === null || failedAs(view, 'infra', 'configuration', 'unreachable'),
  },
  {
    label: 'refused',
    applies: (view) => failedAs(view, 'refused') || view.trace.turns.at(-1)?.finishReason === 'content_filter',
  },
  { label: 'context_overflow', applies: (view) => failedAs(view, 'context') },
  { label: 'truncated', applies: ({ ending }) => ending.some((turn) => turn.strict === 'truncated') },
  { label: 'empty_output', applies: ({ ending }) => ending.some((turn) => turn.strict === 'empty') },
  { label: 'hallucinated_observation', applies: answersFromInvention },
  { label: 'parse_dead_end', applies: isDeadEnd },
  { label: 'repeat_loop', applies: ({ loop }) => loop === 'repeat_loop' },
  { label: 'tool_error_spiral', applies: ({ loop }) => loop === 'tool_error_spiral' },
  { label: 'budget_exhausted', applies: ({ trace }) => trace.end.reason === 'limit' },
  {
    label: 'final_answer',
    applies: ({ dialect, last }) => dialect.saysWhenDone && last?.strict === 'final_answer',
  },
  { label: 'no_tool_stop', applies: () => true },
]

/** The labels of turns in which a call was meant. */
export const ATTEMPTS: ReadonlySet<TurnLabel> = new Set<TurnLabel>([
  'call_in_thought',
  'hallucinated_observation',
  'leaked_marker',
  'wrong_protocol',
  'malformed',
  'hallucinated_tool',
  'double_encoded',
  'bad_args_schema',
  'recovered',
  'well_formed',
])

function failedAs({ trace }: EpisodeView, ...kinds: readonly string[]): boolean {
  const failure = trace.turns.at(-1)?.failure ?? null
  return failure !== null && kinds.includes(failure.kind)
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

function meantToGoOn({ strict, lenient, saysEnd }: TurnScore): boolean {
  return !saysEnd && (ATTEMPTS.has(strict) || ATTEMPTS.has(lenient))
}
