import type { TurnLabel } from '@callspec/labels'
import { argumentReasons, hasCalls, namesUnknownTool } from './view-turn.ts'
import type { TurnView } from './view-turn.ts'

/** One line of the parse taxonomy. */
export interface TurnRule {
  readonly label: TurnLabel
  /** What it takes, in one sentence. */
  readonly means: string
  readonly applies: (view: TurnView) => boolean
}

/** The parse taxonomy in its order: the first rule that fits gives the label. `no_tool_text` always fits. */
export const TURN_RULES: readonly TurnRule[] = [
  {
    label: 'infra_error',
    means: 'There is no reply, after every retry.',
    applies: ({ input }) => input.failed,
  },
  {
    label: 'truncated',
    means:
      'The reply was cut off: the finish reason says so, it did not end in time, or a call does not end and all tokens are used up.',
    applies: ({ isCutOff }) => isCutOff,
  },
  {
    label: 'empty',
    means: 'Text, reasoning and calls are blank.',
    applies: ({ visible, thought, reading }) => visible.trim() === '' && thought.trim() === '' && !reading.intent,
  },
  {
    label: 'call_in_thought',
    means: 'A call stands in the thinking and nowhere else.',
    applies: ({ callInThought }) => callInThought,
  },
  {
    label: 'hallucinated_observation',
    means: "The model wrote a result itself: the host's mark with something behind it.",
    applies: ({ inventsResult }) => inventsResult,
  },
  {
    label: 'leaked_marker',
    means: 'A control mark stands where none belongs: in the text, or in the arguments.',
    applies: ({ leaksMarker }) => leaksMarker,
  },
  {
    label: 'wrong_protocol',
    means: 'The format that was asked for sees no call, another one does.',
    applies: ({ speaksAnotherFormat }) => speaksAnotherFormat(),
  },
  {
    label: 'malformed',
    means: 'A call is meant and cannot be read.',
    applies: ({ reading }) => reading.intent && reading.calls === null,
  },
  {
    label: 'hallucinated_tool',
    means: 'A call names a tool that is not offered.',
    applies: (view) => namesUnknownTool(view, view.input),
  },
  {
    label: 'double_encoded',
    means: 'The arguments are a text that holds an object.',
    applies: ({ reading }) => reading.calls?.some((call) => typeof call.args === 'string') === true,
  },
  {
    label: 'bad_args_schema',
    means: 'The arguments do not agree with the schema of the tool.',
    applies: (view) => argumentReasons(view, view.input).length > 0,
  },
  {
    label: 'recovered',
    means: 'A good call that took repairs; only under the lenient policy.',
    applies: ({ reading }) => (hasCalls(reading) || reading.isEnd === true) && reading.repairs.length > 0,
  },
  {
    label: 'well_formed',
    means: 'A good call.',
    applies: ({ reading }) => hasCalls(reading),
  },
  {
    label: 'final_answer',
    means: 'No call is meant, and the text has the form in which the format ends.',
    applies: hasFinalForm,
  },
  {
    label: 'no_tool_text',
    means: 'Any other text.',
    applies: () => true,
  },
]

function hasFinalForm({ reader, reading, visible, input }: TurnView): boolean {
  return reading.isEnd === true || reader.hasFinalForm(visible, input.question ?? null)
}
