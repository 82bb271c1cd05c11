import { pick } from './draw.ts'
import type { Expectation, Fault, FaultyTurn, FaultyReply } from './fault.ts'
import { stopped, withText, stoppedText } from './fault.ts'
import { SPOKEN } from './spoken-formats.ts'
import { jsonText } from './render.ts'
import { plain } from './speak/speaker.ts'

const REPAIRABLE: Expectation = { strict: 'malformed', lenient: 'recovered', end: null }
/** The host finds no call and no sign of one. */
const UNSEEN: Expectation = { strict: 'malformed', lenient: 'recovered', end: 'parse_dead_end', blames: 'parser' }
/** A strict reader finds no mark of the format in the text. */
const UNMARKED: Expectation = {
  ...{ strict: 'no_tool_text', lenient: 'recovered', end: 'parse_dead_end' },
  blames: 'parser',
}

/** Faults around a call: its tags, its keywords, the members of its object. */
export const MARK_FAULTS: readonly Fault[] = [
  {
    id: 'F01',
    name: 'drop_close',
    kind: 'syntax',
    looks: 'the last </tool_call> is missing',
    // Qwen-Agent's newer versions run the call nevertheless.
    expect: { [SPOKEN.tagged]: REPAIRABLE },
    inject: (turn) => withText(turn, (text) => text.slice(0, -'\n</tool_call>'.length)),
  },
  {
    id: 'F02',
    name: 'partial_close',
    kind: 'syntax',
    looks: 'the last tag ends as </tool_cal',
    expect: { [SPOKEN.tagged]: { ...REPAIRABLE, blames: 'parser' } },
    inject: (turn) =>
      withText(turn, (text) => text.slice(0, turn.chance('letters') < 0.5 ? -'l>'.length : -'>'.length)),
  },
  {
    id: 'F14',
    name: 'no_newline_action',
    kind: 'syntax',
    looks: 'Action: on the line of the thought',
    expect: { [SPOKEN.worded]: UNMARKED },
    inject: (turn) => withText(turn, (text) => text.replace('\nAction: ', () => ' Action: ')),
  },
  {
    id: 'F15',
    name: 'case_drift',
    kind: 'syntax',
    looks: 'action: in small letters, <TOOL_CALL> in capitals',
    expect: {
      [SPOKEN.worded]: { ...UNMARKED, flags: ['case_drift'] },
      [SPOKEN.tagged]: { ...UNSEEN, flags: ['case_drift'] },
    },
    inject: (turn) =>
      withText(turn, (text) =>
        turn.format === SPOKEN.worded
          ? text.replace('\nAction: ', () => '\naction: ').replace('\nAction Input: ', () => '\naction input: ')
          : text.replaceAll(/<\/?tool_call>/g, (tag) => tag.toUpperCase()),
      ),
  },
  {
    id: 'F16',
    name: 'localised_keyword',
    kind: 'syntax',
    looks: '动作： instead of Action:',
    expect: { [SPOKEN.worded]: UNMARKED },
    inject: (turn) =>
      withText(turn, (text) => {
        const word = pick(['动作', '行动'], turn.chance('word')) ?? ''
        return text.replace('\nAction: ', () => `\n${word}：`).replace('\nAction Input: ', () => `\n${word}输入：`)
      }),
  },
  {
    id: 'F17',
    name: 'args_alias',
    kind: 'syntax',
    looks: '"parameters" instead of "arguments"',
    expect: { [SPOKEN.tagged]: UNSEEN },
    inject: (turn) => {
      const alias = pick(['parameters', 'input'], turn.chance('alias')) ?? ''
      return bodies(turn, (name, args) => `{"name": ${name}, "${alias}": ${jsonText(args)}}`)
    },
  },
  {
    id: 'F18',
    name: 'flat_args',
    kind: 'syntax',
    looks: '{"name": "get_weather", "city": "Paris"}',
    expect: { [SPOKEN.tagged]: UNSEEN },
    inject: (turn) => {
      const isFlat = ({ args }: FaultyTurn['calls'][number]): boolean =>
        Object.keys(args).length > 0 && !('name' in args) && !('arguments' in args)
      return turn.calls.every(isFlat)
        ? bodies(turn, (name, args) => `{"name": ${name}, ${jsonText(args).slice(1)}`)
        : null
    },
  },
]

/** The model always writes it this way, so every call of the turn has it. */
function bodies(turn: FaultyTurn, write: (name: string, args: object) => string): FaultyReply | null {
  const texts = turn.calls.map(({ name, args }) => `<tool_call>\n${write(JSON.stringify(name), args)}\n</tool_call>`)
  return texts.length === 0 ? null : stopped(plain(texts.join('\n')))
}

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
