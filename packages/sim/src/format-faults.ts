import type { Format } from '@callspec/core'
import { pick } from './draw.ts'
import type { Expectation, Fault, FaultyTurn, FaultyReply } from './fault.ts'
import { stopped, stoppedText, withText } from './fault.ts'
import { simFormats } from './spoken-formats.ts'
import { callText, jsonText } from './render.ts'
import { halfOfFirst } from './speak/format-speaker.ts'
import type { FormatShape } from './speak/speaker.ts'
import { speakerOf } from './speak/speakers.ts'

/** A fault in formats with markers: where it is possible, its labels, and its text. */
interface FormatFault {
  /** Null if a format cannot have it. */
  readonly expect: (shape: FormatShape) => Expectation | null
  /** Default: as elsewhere. */
  readonly inject?: (turn: FaultyTurn, shape: FormatShape) => FaultyReply | null
}

/**
 * The catalogue for formats that are written by core. Their host executes the calls that the format's reader returns: a
 * call without an end is not one, and a call whose arguments are not JSON is executed with that text.
 */
const FORMAT_FAULTS: Readonly<Record<string, FormatFault>> = {
  F01: {
    expect: unclosed,
    inject: (turn, shape) =>
      ofCall(
        turn,
        withText(turn, (text) => beforeTail(text, shape, 0)),
      ),
  },
  F02: {
    expect: (shape) => (shape.readsHalfClosed ? unclosedButRead(shape) : unclosed(shape)),
    inject: (turn, shape) =>
      ofCall(
        turn,
        withText(turn, (text) => beforeTail(text, shape, halfOfFirst(shape.tail, shape.closers))),
      ),
  },
  F03: { expect: (shape) => inJson(shape, READ_LOOSELY) },
  F04: { expect: (shape) => inJson(shape, READ_LOOSELY) },
  F06: { expect: (shape) => inJson(shape, { ...READ_LOOSELY, blames: 'parser' }) },
  F09: {
    expect: (shape) => inJson(shape, { strict: 'malformed', lenient: 'bad_args_schema', end: null }),
  },
  F12: { expect: ({ callsAlone }) => (callsAlone ? null : { ...WELL_FORMED, flags: ['prose_before'] }) },
  F20: { expect: () => ({ strict: 'hallucinated_tool', lenient: 'hallucinated_tool', end: null }) },
  F21: { expect: () => BAD_ARGUMENTS },
  F22: { expect: () => BAD_ARGUMENTS },
  // A value that is written as text has the type of its schema.
  F23: { expect: (shape) => inJson(shape, BAD_ARGUMENTS) },
  F24: { expect: () => BAD_ARGUMENTS },
  F25: {
    expect: ({ thought }) => (thought === null ? null : { ...IN_THOUGHT, end: 'parse_dead_end' }),
    inject: (turn, { thought }) => {
      const { text } = speakerOf(turn.format).calls(turn.calls.map(callText), turn.part)
      // Calls that are messages of their own would end the thought.
      if (thought !== null && text.includes(thought.close)) return null
      return stoppedText(`${thought?.open ?? ''}${text}${thought?.close ?? ''}I am looking it up.`)
    },
  },
  F28: {
    expect: ({ stopsAtResult, callsLast, invents, sections }) =>
      invents
        ? {
            ...INVENTED_RESULT,
            // With text after it, it is not a call, and the host takes the whole reply as the answer.
            ...(callsLast ? { end: 'hallucinated_observation' } : sections ? {} : { salvageable: true }),
            ...(stopsAtResult ? { cut: { strict: 'well_formed', lenient: 'well_formed' } } : {}),
          }
        : null,
    inject: (turn) => {
      const { invented } = speakerOf(turn.format)
      return invented === null ? null : withText(turn, (text) => `${text}\n${invented}`)
    },
  },
  F30: { expect: ({ several }) => (several ? { ...WELL_FORMED, flags: ['duplicate_call_in_turn'] } : null) },
  F31: { expect: () => ({ strict: 'wrong_protocol', lenient: 'wrong_protocol', end: 'parse_dead_end' }) },
  F32: {
    expect: () => ({ strict: 'final_answer', lenient: 'final_answer', end: 'no_tool_stop', flags: ['wrong_language'] }),
  },
  F33: { expect: () => ({ ...TRUNCATED, flags: ['intra_repetition'] }) },
  F34: { expect: () => TRUNCATED, inject: truncated },
  F35: {
    expect: (shape) => lost(shape, { strict: 'malformed', lenient: 'malformed', end: null }),
    inject: (turn) => ofCall(turn, cutInArguments(turn)),
  },
  F36: {
    expect: () => ({ strict: 'empty', lenient: 'empty', end: 'empty_output' }),
    inject: ({ chance }, { thought }) =>
      pick(
        [
          stoppedText(''),
          stoppedText('\n\n'),
          ...(thought === null ? [] : [stoppedText(thought.open + thought.close)]),
        ],
        chance('nothing'),
      ),
  },
  F38: { expect: (shape) => inJson(shape, WELL_FORMED) },
  F39: { expect: (shape) => inJson(shape, WELL_FORMED) },
}

const WELL_FORMED: Expectation = { strict: 'well_formed', lenient: 'well_formed', end: null }
const READ_LOOSELY: Expectation = { strict: 'malformed', lenient: 'recovered', end: null }
const BAD_ARGUMENTS: Expectation = { strict: 'bad_args_schema', lenient: 'bad_args_schema', end: null }
const IN_THOUGHT: Expectation = { strict: 'call_in_thought', lenient: 'call_in_thought', end: null, salvageable: true }
const INVENTED_LABELS = { strict: 'hallucinated_observation', lenient: 'hallucinated_observation' } as const
const INVENTED_RESULT: Expectation = { ...INVENTED_LABELS, end: null }
const TRUNCATED: Expectation = { strict: 'truncated', lenient: 'truncated', end: 'truncated' }

/** If the name is part of the JSON, the call is lost with it. */
function inJson(shape: FormatShape, expect: Expectation): Expectation | null {
  if (shape.carries === 'text') return null
  if (!shape.wrapsName || expect.strict !== 'malformed') return expect
  return lost(shape, expect.lenient === 'recovered' ? { ...expect, blames: 'parser' } : expect)
}

/** Values that are written as text may continue if nothing closes them, so their intended value is unknown. */
function unclosed(shape: FormatShape): Expectation | null {
  const { closers, carries } = shape
  return closers.length === 0 || carries === 'text' ? null : lost(shape, { ...READ_LOOSELY, blames: 'parser' })
}

/** The host makes the call. */
function unclosedButRead(shape: FormatShape): Expectation | null {
  return unclosed(shape) === null ? null : READ_LOOSELY
}

/** The reader returns no call: if no call before it is independent, the host takes the reply as the answer. */
function lost({ together }: FormatShape, expect: Expectation): Expectation {
  return { ...expect, end: 'parse_dead_end', ...(together ? {} : { variants: { among: { end: null } } }) }
}

function ofCall({ calls }: FaultyTurn, reply: FaultyReply | null): FaultyReply | null {
  return reply === null || calls.length < 2 ? reply : { ...reply, variant: 'among' }
}

/** The reply without the text after the last arguments, except for so many characters of it. */
function beforeTail(text: string, { tail }: FormatShape, kept: number): string | null {
  const at = text.lastIndexOf(tail)
  return at < 0 ? null : text.slice(0, at + kept).trimEnd()
}

function truncated(turn: FaultyTurn): FaultyReply | null {
  const { brokenOff, calls } = speakerOf(turn.format)
  const whole = stopped(calls(turn.calls.map(callText), turn.part))
  const chosen = pick([stoppedText(brokenOff), cutInArguments(turn), whole], turn.chance('cut'))
  return { ...(chosen ?? whole), finishReason: 'length' }
}

/** Two characters into a text of the last call, so that its continuation is unknown. */
function cutInArguments(turn: FaultyTurn): FaultyReply | null {
  const texts = Object.values(turn.calls.at(-1)?.args ?? {}).filter((value) => typeof value === 'string')
  const value = pick(
    texts.map((text) => text).filter((text) => /^[\w ]{3}/.test(text)),
    turn.chance('string'),
  )
  if (value === null || value === undefined) return null
  const { text } = speakerOf(turn.format).calls(turn.calls.map(callText), turn.part)
  const at = text.lastIndexOf(jsonText(value).slice(1, -1))
  return at < 0 ? null : stoppedText(text.slice(0, at + 2))
}

/** A fault for all formats; its forms in the formats are looked up when requested. */
export function withFormats(fault: Fault): Fault {
  const known = FORMAT_FAULTS[fault.id]
  if (known === undefined) return fault
  let last: { readonly of: readonly Format[]; readonly expect: Fault['expect'] } | null = null
  return {
    ...fault,
    get expect() {
      if (last?.of !== simFormats()) last = { of: simFormats(), expect: expectedOf(fault, known) }
      return last.expect
    },
    inject: (turn) => {
      const { shape } = speakerOf(turn.format)
      return shape === undefined || known.inject === undefined ? fault.inject(turn) : known.inject(turn, shape)
    },
  }
}

function expectedOf(fault: Fault, known: FormatFault): Fault['expect'] {
  const expected = simFormats().flatMap(({ id }) => {
    const { shape } = speakerOf(id)
    const expect = shape === undefined ? null : known.expect(shape)
    return expect === null ? [] : [[id, expect] as const]
  })
  return { ...fault.expect, ...Object.fromEntries(expected) }
}
