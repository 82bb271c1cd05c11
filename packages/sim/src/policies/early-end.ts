import { stoppedText } from '../fault.ts'
import type { Expectation, FaultyReply } from '../fault.ts'
import { plannedTurns } from '../plan.ts'
import { SPOKEN } from '../protocol.ts'
import type { SimProtocol } from '../protocol.ts'
import { plain } from '../speak/speaker.ts'
import { speakerOf } from '../speak/table.ts'
import { answers, AS_PLANNED } from './policy.ts'
import type { Policy, PolicyAct, PolicyContext } from './policy.ts'

const FIRST = { min: 0, max: 100, byDefault: 0 }

/** Policies that come to an end before the work is done. */
export const EARLY_POLICIES: readonly Policy[] = [
  {
    id: 'empty_at',
    about: 'nothing at all from the k-th reply on',
    argument: FIRST,
    act: (context) =>
      words(context, {
        reply: stoppedText(''),
        expect: { strict: 'empty', lenient: 'empty', end: 'empty_output' },
      }),
  },
  {
    id: 'truncated',
    about: 'cut off from the k-th reply on, finish_reason length',
    argument: FIRST,
    act: (context) =>
      words(context, {
        reply: { ...plain(speakerOf(context.protocol).brokenOff), finishReason: 'length' },
        expect: { strict: 'truncated', lenient: 'truncated', end: 'truncated' },
      }),
  },
  {
    id: 'malformed_stop',
    about: 'a call that nobody can read and no host sees',
    act: (context) =>
      words(context, {
        reply: stoppedText(speakerOf(context.protocol).unreadable),
        expect: { strict: 'malformed', lenient: 'malformed', end: 'parse_dead_end' },
      }),
  },
  {
    id: 'premature',
    about: '"I do not know." at once',
    act: () => answers('I do not know.'),
  },
  {
    id: 'plain_stop',
    about: 'a thought and nothing else',
    act: (context) => {
      // After -1 a role is asked for its answer: it cannot stop without one.
      if (context.protocol === SPOKEN.stated) return null
      // Where a model does not say when it is done, any text is its answer.
      const label = context.protocol === SPOKEN.worded ? 'no_tool_text' : 'final_answer'
      return words(context, {
        reply: stoppedText('I should think about this.'),
        expect: { strict: label, lenient: label, end: 'no_tool_stop' },
      })
    },
  },
  {
    id: 'hallu_obs',
    about: 'invents a result and answers from it',
    act: (context) => {
      const { invented } = speakerOf(context.protocol)
      const expect = INVENTED[context.protocol]
      return invented === null || expect === undefined
        ? null
        : words(context, { reply: stoppedText(`I should look that up.\n${invented}`), expect })
    },
  },
  {
    id: 'impatient',
    about: 'guesses the answer, rightly, before the k-th turn of calls (0: the last)',
    argument: FIRST,
    act: ({ protocol, reference, position, argument }) => {
      const turns = plannedTurns(reference, speakerOf(protocol).width)
      if (turns === 0) return null
      const last = argument === 0 ? turns : Math.min(argument, turns)
      return position.turns >= last - 1 ? answers(reference.final) : AS_PLANNED
    },
  },
]

const MADE_UP = {
  strict: 'hallucinated_observation',
  lenient: 'hallucinated_observation',
  end: 'hallucinated_observation',
} as const

/** With the stop word honoured nothing is left of the invention but the sentence before it. */
const INVENTED: Readonly<Partial<Record<SimProtocol, Expectation>>> = {
  [SPOKEN.tagged]: MADE_UP,
  [SPOKEN.marked]: { ...MADE_UP, cut: { strict: 'final_answer', lenient: 'final_answer', end: 'no_tool_stop' } },
  [SPOKEN.worded]: { ...MADE_UP, cut: { strict: 'no_tool_text', lenient: 'no_tool_text', end: 'no_tool_stop' } },
}

/** The words once it is time for them: after so many turns of calls, or when the plan is done. */
function words(
  { position, planned, argument, part }: PolicyContext,
  { reply, expect }: { readonly reply: FaultyReply; readonly expect: Expectation },
): PolicyAct {
  const isTime = position.turns >= argument || planned.kind === 'final'
  // A role's call begins with its number.
  return isTime && part.kind !== 'arguments' ? { kind: 'words', reply, expect } : AS_PLANNED
}
