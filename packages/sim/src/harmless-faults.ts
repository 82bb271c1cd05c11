import type { Expectation, Fault, FaultyTurn, FaultyReply } from './fault.ts'
import { everywhere, expecting, spokenIn, stopped, withLastCall, withText } from './fault.ts'
import { SPOKEN } from './spoken-formats.ts'
import { callText, jsonText } from './render.ts'
import { speakerOf } from './speak/speakers.ts'

const FINE: Expectation = { strict: 'well_formed', lenient: 'well_formed', end: null }
/** Prose is not allowed if only the object is requested. */
const SURROUNDED: Expectation = { strict: 'malformed', lenient: 'recovered', end: null, blames: 'parser' }

/** Correct replies that look unusual: any label but `well_formed` is a false alarm. */
export const HARMLESS_FAULTS: readonly Fault[] = [
  {
    id: 'F12',
    name: 'prose_before',
    kind: 'harmless',
    looks: 'a sentence, then the call (legal)',
    expect: {
      ...expecting(spokenIn('marked', 'tagged'), { ...FINE, flags: ['prose_before'] }),
      [SPOKEN.stated]: SURROUNDED,
    },
    inject: (turn) => withText(turn, (text) => saidBefore(turn, 'Let me look that up.') + text),
  },
  {
    id: 'F13',
    name: 'prose_after',
    kind: 'harmless',
    looks: 'a sentence after the last close tag (legal)',
    expect: { [SPOKEN.tagged]: { ...FINE, flags: ['prose_after'] }, [SPOKEN.stated]: SURROUNDED },
    inject: (turn) => withText(turn, (text) => `${text}\nOne moment, please.`),
  },
  {
    id: 'F29',
    name: 'action_and_final',
    kind: 'harmless',
    looks: 'a Final Answer and an Action in one reply (the host runs the action)',
    expect: { [SPOKEN.worded]: FINE },
    inject: (turn) => withText(turn, (text) => `I can guess it.\nFinal Answer: I am not sure yet.\n${text}`),
  },
  {
    id: 'F30',
    name: 'duplicate_call',
    kind: 'harmless',
    looks: 'the same call twice in one turn',
    addsCalls: 1,
    expect: expecting(spokenIn('marked', 'tagged', 'native'), { ...FINE, flags: ['duplicate_call_in_turn'] }),
    inject: duplicate,
  },
  {
    id: 'F32',
    name: 'wrong_language',
    kind: 'harmless',
    looks: 'an English answer to a Chinese task',
    affects: 'answers',
    // The labels of a correct answer; the verdict decides whether it is one.
    expect: {
      ...expecting(spokenIn('marked', 'tagged', 'native'), answered('no_tool_stop')),
      ...expecting(spokenIn('worded', 'stated'), answered('final_answer')),
    },
    inject: ({ format, reference, calls, part }) =>
      reference.lang === 'zh' && calls.length === 0
        ? stopped(speakerOf(format).final('I have looked it up, and this is the answer to the question.', part))
        : null,
  },
  {
    id: 'F37',
    name: 'marker_in_string',
    kind: 'harmless',
    looks: 'a mark of the format inside an argument (legal)',
    expect: {
      // Every version of the reference ends the call at the mark and breaks its arguments.
      [SPOKEN.tagged]: { strict: 'malformed', lenient: 'recovered', end: null, blames: 'parser' },
      // A server that searches for the stop word does not know strings.
      [SPOKEN.worded]: { ...FINE, cut: { strict: 'malformed', lenient: 'malformed' } },
    },
    inject: markInside,
  },
  {
    id: 'F38',
    name: 'unicode_escape',
    kind: 'harmless',
    looks: '\\u5317\\u4eac instead of 北京 (legal)',
    expect: everywhere('well_formed', 'well_formed'),
    inject: (turn) =>
      withLastCall(turn, (call) => {
        const json = jsonText(call.args)
        const escaped = json.replaceAll(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
        return escaped === json ? null : { name: call.name, arguments: escaped }
      }),
  },
  {
    id: 'F39',
    name: 'pretty_print',
    kind: 'harmless',
    looks: 'arguments over several lines or without spaces, keys in another order (legal)',
    expect: everywhere('well_formed', 'well_formed'),
    inject: (turn) =>
      withLastCall(turn, (call) => {
        const reversed = Object.fromEntries(Object.entries(call.args).reverse())
        const written = escapeTags(JSON.stringify(reversed, null, turn.chance('spaces') < 0.5 ? 2 : 0))
        return written === jsonText(call.args) ? null : { name: call.name, arguments: written }
      }),
  },
]

function answered(end: 'no_tool_stop' | 'final_answer'): Expectation {
  return { strict: 'final_answer', lenient: 'final_answer', end, flags: ['wrong_language'] }
}

/** Not if the plan itself repeats the call: the copy would make it a loop. */
function duplicate(turn: FaultyTurn): FaultyReply | null {
  const last = turn.calls.at(-1)
  if (last === undefined) return null
  const text = jsonText([last.name, last.args])
  const times = turn.reference.plan.flat().filter((call) => jsonText([call.name, call.args]) === text).length
  if (times > 1) return null
  return stopped(speakerOf(turn.format).calls([...turn.calls, last].map(callText), turn.part))
}

const LEGAL_MARKS: Readonly<Partial<Record<FaultyTurn['format'], string>>> = {
  [SPOKEN.tagged]: '</tool_call>',
  [SPOKEN.worded]: 'Observation:',
}

/** If the argument contains the mark already (task T08), or is a search whose words change nothing. */
function markInside(turn: FaultyTurn): FaultyReply | null {
  const mark = LEGAL_MARKS[turn.format] ?? ''
  return withLastCall(turn, ({ name, args }) => {
    const query = args['query']
    const asked =
      name === 'web_search' && typeof query === 'string' ? { ...args, query: `${query} ${mark} none` } : args
    const written = jsonText(asked).replaceAll('\\u003c', () => '<')
    return written.includes(mark) ? { name, arguments: written } : null
  })
}

function escapeTags(json: string): string {
  return json.replaceAll(/<(?=\/?tool_call>)/g, () => '\\u003c')
}

function saidBefore({ format }: FaultyTurn, text: string): string {
  return speakerOf(format).preamble?.(text) ?? `${text}\n`
}
