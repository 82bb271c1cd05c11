import { stoppedText } from './fault.ts'
import { SPOKEN } from './protocol.ts'
import type { Expectation, Fault, FaultyTurn, FaultyReply } from './fault.ts'

/** The host's handling of a reply that is meant as a state: it continues, or takes it silently as the end. */
const GOES_ON = { end: null, part: 'state' } as const
const DEAD_END = { end: 'parse_dead_end', part: 'state' } as const

/** Faults in the choice of a state by its number. */
export const STATE_FAULTS: readonly Fault[] = [
  {
    id: 'F41',
    name: 'number_in_prose',
    kind: 'state',
    looks: 'I will go to stage 1 next.',
    ...stateFault({ strict: 'malformed', lenient: 'recovered', ...GOES_ON }, ({ number }) => {
      return `I will go to stage ${number} next.`
    }),
  },
  {
    id: 'F42',
    name: 'two_numbers',
    kind: 'state',
    looks: '1 or 0',
    // The reference takes any of the digits; hosts of ours the first one, which is right here.
    ...stateFault({ strict: 'malformed', lenient: 'malformed', ...GOES_ON }, ({ number, count }) => {
      return `${number} or ${(number + 1) % count}`
    }),
  },
  {
    id: 'F43',
    name: 'number_out_of_range',
    kind: 'state',
    looks: 'the number after the last one',
    ...stateFault(
      { strict: 'hallucinated_tool', lenient: 'hallucinated_tool', ...DEAD_END },
      ({ count }) => `${count}`,
    ),
  },
  {
    id: 'F44',
    name: 'ends_too_early',
    kind: 'state',
    looks: '-1 before anything was done',
    ...stateFault({ strict: 'final_answer', lenient: 'final_answer', end: 'final_answer', part: 'state' }, () => '-1'),
  },
  {
    id: 'F45',
    name: 'fullwidth_digit',
    kind: 'state',
    looks: '１ instead of 1',
    ...stateFault({ strict: 'malformed', lenient: 'recovered', ...DEAD_END, blames: 'parser' }, ({ number }) => {
      return String.fromCodePoint(FULL_WIDTH_ZERO + number)
    }),
  },
  {
    id: 'F46',
    name: 'name_for_number',
    kind: 'state',
    looks: 'calculator instead of 0',
    ...stateFault({ strict: 'malformed', lenient: 'recovered', ...DEAD_END, blames: 'parser' }, ({ name }) => name),
  },
  {
    id: 'F47',
    name: 'state_line',
    kind: 'state',
    looks: '0. calculator',
    ...stateFault(
      { strict: 'malformed', lenient: 'recovered', ...GOES_ON },
      ({ number, name }) => `${number}. ${name}`,
    ),
  },
]

const FULL_WIDTH_ZERO = 0xff10

interface Choice {
  readonly name: string
  readonly number: number
  /** How many states there are. */
  readonly count: number
}

function stateFault(expect: Expectation, say: (choice: Choice) => string): Pick<Fault, 'expect' | 'inject'> {
  return {
    expect: { [SPOKEN.stated]: expect },
    inject: ({ calls: [call], part }: FaultyTurn): FaultyReply | null => {
      if (call === undefined || part.kind !== 'state') return null
      const choice = { name: call.name, number: part.states.indexOf(call.name), count: part.states.length }
      return stoppedText(say(choice))
    },
  }
}
