import type { Culprit } from '@callspec/labels'
import { pick } from './draw.ts'
import type { Expectation, Fault, FaultyTurn, FaultyReply } from './fault.ts'
import {
  everywhere,
  expecting,
  sound,
  spokenIn,
  stopped,
  stoppedText,
  TEXT_FORMATS,
  withLastCall,
  withText,
} from './fault.ts'
import { SPOKEN, SPOKEN_FORMATS } from './spoken-formats.ts'
import { callText, jsonText, nousCall } from './render.ts'
import { plain, WHOLE } from './speak/speaker.ts'
import { speakerOf } from './speak/speakers.ts'

const WELL_FORMED = { strict: 'well_formed', lenient: 'well_formed' } as const
/** Only the host that reads tags knows <think>; the others run the call. */
const IN_THOUGHT: Expectation = { strict: 'call_in_thought', lenient: 'call_in_thought', end: null, salvageable: true }
const THOUGHT_DEAD_END: Expectation = { ...IN_THOUGHT, end: 'parse_dead_end' }
const WRONG_PROTOCOL: Expectation = { strict: 'wrong_protocol', lenient: 'wrong_protocol', end: 'parse_dead_end' }
const leaked = (begun: Culprit): Expectation => ({
  ...{ strict: 'leaked_marker', lenient: 'recovered', end: null, blames: 'server', cut: WELL_FORMED },
  variants: { begin: { blames: begun } },
})
const TRUNCATED: Expectation = { strict: 'truncated', lenient: 'truncated', end: 'truncated' }
const INVENTED: Expectation = {
  strict: 'hallucinated_observation',
  lenient: 'hallucinated_observation',
  end: null,
  salvageable: true,
}
const EMPTY: Expectation = { strict: 'empty', lenient: 'empty', end: 'empty_output' }

/** Faults in the reply as a whole: the position of the call, the text around it, the end of the text. */
export const STRUCTURE_FAULTS: readonly Fault[] = [
  {
    id: 'F25',
    name: 'call_in_thought',
    kind: 'structure',
    looks: 'the whole call in the thought',
    expect: {
      [SPOKEN.tagged]: THOUGHT_DEAD_END,
      [SPOKEN.native]: THOUGHT_DEAD_END,
      [SPOKEN.marked]: { ...IN_THOUGHT, apart: { end: 'parse_dead_end' } },
    },
    inject: (turn) => {
      const { text, calls } = sound(turn)
      return stopped({ text: 'I am looking it up.', calls: [], thought: text || calls.map(nousCall).join('\n') })
    },
  },
  {
    id: 'F26',
    name: 'think_unclosed',
    kind: 'structure',
    looks: '<think> is never closed',
    // A role's tool gets no arguments.
    expect: {
      [SPOKEN.tagged]: { ...THOUGHT_DEAD_END, flags: ['think_unclosed'] },
      ...expecting(spokenIn('marked', 'worded', 'stated'), { ...IN_THOUGHT, flags: ['think_unclosed'] }),
    },
    inject: (turn) => withText(turn, (text) => `<think>\nThe user needs a tool.\n${text}`),
  },
  {
    id: 'F27',
    name: 'leak_marker',
    kind: 'structure',
    looks: '<|im_end|> or another mark of the template at the end of the text',
    // A mark that ends a turn is the server's to take off; one that begins a turn the model has no business to write, and it
    // breaks the arguments where they end the reply.
    expect: {
      ...expecting(spokenIn('marked', 'tagged'), leaked('model')),
      ...expecting(spokenIn('worded', 'stated'), leaked('parser')),
    },
    inject: (turn) =>
      withText(
        turn,
        (text) => {
          const mark = pick(['<|im_end|>', '<|endoftext|>', '<|im_start|>'], turn.chance('mark')) ?? ''
          return `${text}${mark}`
        },
        (text) => (text.endsWith('<|im_start|>') ? 'begin' : 'end'),
      ),
  },
  {
    id: 'F28',
    name: 'hallucinated_observation',
    kind: 'structure',
    looks: 'the call, an invented result, and an answer',
    expect: {
      ...expecting(TEXT_FORMATS, { ...INVENTED, cut: WELL_FORMED }),
      // They have no stop words.
      [SPOKEN.tagged]: INVENTED,
      [SPOKEN.stated]: INVENTED,
    },
    inject: (turn) => withText(turn, (text) => `${text}\n${speakerOf(turn.format).invented ?? ''}`),
  },
  {
    id: 'F31',
    name: 'wrong_protocol',
    kind: 'structure',
    looks: 'the call as another format writes it',
    expect: {
      ...expecting(SPOKEN_FORMATS, WRONG_PROTOCOL),
      [SPOKEN.stated]: { ...WRONG_PROTOCOL, end: null },
      // The server was to read the calls of its model.
      [SPOKEN.native]: { ...WRONG_PROTOCOL, blames: 'server' },
    },
    inject: (turn) =>
      stopped(speakerOf(SPOKEN[speakerOf(turn.format).mistakenFor]).calls(turn.calls.map(callText).slice(-1), WHOLE)),
  },
  {
    id: 'F33',
    name: 'intra_repetition',
    kind: 'structure',
    looks: 'the same sentence again and again, finish_reason length',
    expect: {
      ...expecting(SPOKEN_FORMATS, { ...TRUNCATED, flags: ['intra_repetition'] }),
      [SPOKEN.stated]: { ...TRUNCATED, end: null, flags: ['intra_repetition'] },
    },
    inject: () => ({ ...plain(REPEATED.repeat(8).slice(0, -40)), finishReason: 'length' }),
  },
  {
    id: 'F34',
    name: 'truncate',
    kind: 'structure',
    looks: 'cut in the first mark, in the call or after it, finish_reason length',
    expect: { ...expecting(SPOKEN_FORMATS, TRUNCATED), [SPOKEN.stated]: { ...TRUNCATED, end: null } },
    inject: truncated,
  },
  {
    id: 'F35',
    name: 'truncate_silent',
    kind: 'structure',
    looks: 'cut inside the arguments, finish_reason stop',
    expect: everywhere('malformed', 'malformed'),
    inject: cutInArguments,
  },
  {
    id: 'F36',
    name: 'empty',
    kind: 'structure',
    looks: 'nothing at all, two line breaks, an empty thought',
    expect: { ...expecting(SPOKEN_FORMATS, EMPTY), [SPOKEN.stated]: { ...EMPTY, part: 'state' } },
    inject: ({ chance }) =>
      pick([stoppedText(''), stoppedText('\n\n'), stopped({ ...plain(''), thought: '' })], chance('nothing')),
  },
]

const REPEATED =
  'The user wants to know this, so I have to look it up with one of the tools that I was given, and then I will answer. '

/** Where a host can read the call in spite of the cut, it goes on. */
function truncated(turn: FaultyTurn): FaultyReply | null {
  const early: FaultyReply = { ...plain(speakerOf(turn.format).brokenOff), finishReason: 'length' }
  if (turn.format === SPOKEN.stated) return early
  const inside = cutInArguments(turn)
  const choices: readonly (FaultyReply | null)[] = [early, inside, stopped(sound(turn))]
  const chosen = pick(choices, turn.chance('cut')) ?? early
  return { ...chosen, finishReason: 'length' }
}

/** Inside a string of the last call's JSON, so that more than one closing sign is missing. Null for a call without arguments. */
function cutInArguments(turn: FaultyTurn): FaultyReply | null {
  const last = turn.calls.at(-1)
  if (last === undefined || Object.keys(last.args).length === 0) return null
  const args = jsonText(last.args)
  const openings = Array.from(args.matchAll(/(?<=[{,:[] ?)"(?=[^"\\]{2})/g), (match) => match.index)
  const at = pick(openings, turn.chance('string'))
  if (at === null) return null
  const kept = args.slice(0, at + 2)
  const injected = withLastCall(turn, () => ({ name: last.name, arguments: kept }))
  // What would follow the arguments is cut off with them.
  return injected === null
    ? null
    : { ...injected, text: injected.text.slice(0, injected.text.lastIndexOf(kept) + kept.length) }
}
