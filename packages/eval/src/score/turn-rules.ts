import type { TurnLabel } from '../labels.ts'
import { argumentReasons } from './view-turn.ts'
import type { TurnView } from './view-turn.ts'

/** One line of the parse taxonomy. */
export interface TurnRule {
  readonly label: TurnLabel
  readonly applies: (view: TurnView) => boolean
}

/** The parse taxonomy in its order: the first rule that fits gives the label. `no_tool_text` always fits. */
export const TURN_RULES: readonly TurnRule[] = [
  { label: 'infra_error', applies: ({ input }) => input.failed },
  { label: 'truncated', applies: ({ input }) => input.finishReason === 'length' },
  {
    label: 'empty',
    applies: ({ visible, thought, reading }) => visible.trim() === '' && thought.trim() === '' && !reading.intent,
  },
  { label: 'call_in_thought', applies: ({ callInThought }) => callInThought },
  { label: 'hallucinated_observation', applies: ({ inventsResult }) => inventsResult },
  { label: 'leaked_marker', applies: ({ leaksMarker }) => leaksMarker },
  { label: 'wrong_protocol', applies: ({ speaksAnotherProtocol }) => speaksAnotherProtocol },
  { label: 'malformed', applies: ({ reading }) => reading.intent && reading.calls === null },
  { label: 'hallucinated_tool', applies: namesUnknownTool },
  {
    label: 'double_encoded',
    applies: ({ reading }) => reading.calls?.some((call) => typeof call.args === 'string') === true,
  },
  { label: 'bad_args_schema', applies: (view) => argumentReasons(view).length > 0 },
  {
    label: 'recovered',
    applies: ({ reading }) => (hasCalls(reading) || reading.isEnd === true) && reading.repairs.length > 0,
  },
  { label: 'well_formed', applies: ({ reading }) => hasCalls(reading) },
  { label: 'final_answer', applies: hasFinalForm },
  { label: 'no_tool_text', applies: () => true },
]

function namesUnknownTool({ input, reading }: TurnView): boolean {
  const { tools } = input
  return tools !== null && reading.calls?.some((call) => !tools.some((tool) => tool.name === call.name)) === true
}

function hasCalls(reading: TurnView['reading']): boolean {
  return reading.calls !== null && reading.calls.length > 0
}

function hasFinalForm({ dialect, reading, visible, input }: TurnView): boolean {
  return reading.isEnd === true || dialect.hasFinalForm(visible, input.question ?? null)
}
