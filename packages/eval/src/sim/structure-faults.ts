import { everywhere, withText } from './fault.ts'
import type { Expectation, Fault } from './fault.ts'
import { callText } from './render.ts'
import { SPEAKERS, WHOLE } from './speakers.ts'

const IN_THOUGHT: Expectation = { strict: 'call_in_thought', lenient: 'call_in_thought', end: null }

/** Faults in the reply as a whole: where the call stands, what surrounds it, where the text ends. */
export const STRUCTURE_FAULTS: readonly Fault[] = [
  {
    id: 'F25',
    name: 'call_in_thought',
    looks: 'the whole call inside <think>',
    expect: { 'fncall-nous': deadEnd('call_in_thought') },
    spoil: (turn) => withText(turn, (text) => `<think>\n${text}\n</think>\nI am looking it up.`),
  },
  {
    id: 'F26',
    name: 'think_unclosed',
    looks: '<think> is never closed',
    // Only the nous reader of the reference knows <think>; the two others run the call. A role's tool gets no arguments.
    expect: {
      'fncall-nous': deadEnd('call_in_thought'),
      'fncall-qwen': IN_THOUGHT,
      react: IN_THOUGHT,
      'role-react': IN_THOUGHT,
    },
    spoil: (turn) => withText(turn, (text) => `<think>\nThe user needs a tool.\n${text}`),
  },
  {
    id: 'F27',
    name: 'leak_marker',
    looks: '<|im_end|> at the end of the text',
    expect: everywhere('leaked_marker', 'recovered'),
    spoil: (turn) => withText(turn, (text) => `${text}<|im_end|>`),
  },
  {
    id: 'F28',
    name: 'hallucinated_observation',
    looks: 'the call, an invented result, and an answer',
    expect: everywhere('hallucinated_observation', 'hallucinated_observation'),
    spoil: (turn) => withText(turn, (text) => `${text}\n${SPEAKERS[turn.protocol].invented}`),
  },
  {
    id: 'F31',
    name: 'wrong_protocol',
    looks: 'the call as another protocol writes it',
    expect: {
      'fncall-qwen': deadEnd('wrong_protocol'),
      'fncall-nous': deadEnd('wrong_protocol'),
      react: deadEnd('wrong_protocol'),
      'role-react': { strict: 'wrong_protocol', lenient: 'wrong_protocol', end: null },
    },
    spoil: (turn) => ({
      text: SPEAKERS[SPEAKERS[turn.protocol].mistakenFor].calls(turn.calls.map(callText).slice(-1), WHOLE),
      finishReason: 'stop',
    }),
  },
  {
    id: 'F34',
    name: 'truncate',
    looks: 'cut inside the first marker, finish_reason length',
    expect: {
      'fncall-qwen': cutShort('truncated'),
      'fncall-nous': cutShort('truncated'),
      react: cutShort('truncated'),
      'role-react': { strict: 'truncated', lenient: 'truncated', end: null },
    },
    spoil: (turn) => ({ text: SPEAKERS[turn.protocol].brokenOff, finishReason: 'length' }),
  },
  {
    id: 'F35',
    name: 'truncate_silent',
    looks: 'cut inside the arguments, finish_reason stop',
    expect: everywhere('malformed', 'malformed'),
    spoil: (turn) => (Object.keys(turn.calls.at(-1)?.args ?? {}).length === 0 ? null : withText(turn, cutInArguments)),
  },
  {
    id: 'F36',
    name: 'empty',
    looks: 'nothing at all',
    expect: {
      'fncall-qwen': cutShort('empty'),
      'fncall-nous': cutShort('empty'),
      react: cutShort('empty'),
      'role-react': { ...cutShort('empty'), part: 'state' },
    },
    spoil: () => ({ text: '', finishReason: 'stop' }),
  },
]

/** The host sees no call, and nothing tells it that there was meant to be one. */
function deadEnd(label: 'wrong_protocol' | 'call_in_thought'): Expectation {
  return { strict: label, lenient: label, end: 'parse_dead_end' }
}

function cutShort(label: 'truncated' | 'empty'): Expectation {
  return { strict: label, lenient: label, end: label === 'empty' ? 'empty_output' : 'truncated' }
}

/** Inside the last string of the JSON: more than one closing sign is missing. */
function cutInArguments(text: string): string {
  return text.slice(0, text.lastIndexOf('"') - 1)
}
