import type { TurnLabel } from '@callspec/labels'
import { finishOf, isOfModel } from '../trace/completion.ts'
import { END_MARKS, quotedMark } from '../score/markers.ts'
import { isUsable } from '../score/scores.ts'
import { wasMade, labelTurn } from '../score/label-turn.ts'
import { leavesNoRoom } from '../score/episode-rules.ts'
import type { AttributionRule, FailedTurn } from './attribution.ts'
import { at, quote } from './attribution.ts'
import {
  CHANGED_REPLY_CAUSES,
  CALL_LEFT_IN_TEXT,
  CUT_WITHOUT_END,
  MARKS_EATEN,
  REPLY_IN_REASONING,
} from './reply-causes.ts'
import { TURN_DAMAGED } from './damaged-text.ts'
import { BROKEN_CAUSES, MODEL_CAUSES } from './model-causes.ts'
import { CALLS_NOT_SHOWN, OTHER_SYNTAX_ASKED, TOOLS_NOT_SHOWN, SETUP_CAUSES } from './setup-causes.ts'
import { deviation } from './parse-failure.ts'
import {
  ARGUMENTS_SWALLOWED,
  CALL_SWALLOWED,
  OTHER_MODEL,
  PROMPT_NOT_RENDERED,
  RESULTS_NOT_RENDERED,
  TEXT_SWALLOWED,
} from './transport-causes.ts'

/**
 * The causes of a failed turn, the first that holds counts: first what happened on the way, then our own settings and the prompt, then
 * whether a more lenient parser could have read the reply, and only then the model. So the model is blamed for what nothing else
 * explains, and never for a stop word that the server ignored.
 */
export const TURN_CAUSES: readonly AttributionRule<FailedTurn>[] = [
  {
    id: 'no-reply',
    blames: 'server',
    means: 'There is no reply, after every retry.',
    evidence: ({ line: { failure, attempts } }) =>
      failure === null || failure.kind === 'context' || failure.kind === 'refused' || isOfModel(failure)
        ? null
        : `no reply in ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}: ${quote(failure.message)}`,
  },
  {
    id: 'prompt-too-long',
    blames: 'prompt',
    means: 'The server refuses the prompt as too long, or it leaves no room for a single token.',
    evidence: ({ line }) => {
      if (line.failure?.kind === 'context') return `the server says ${quote(line.failure.message)}`
      return leavesNoRoom(line) ? 'finish_reason is "length", and there is no token' : null
    },
  },
  {
    id: 'filtered',
    blames: 'server',
    means: 'A content filter took the reply.',
    evidence: ({ line: { failure, finishReason } }) => {
      if (failure?.kind === 'refused') return `the server says ${quote(failure.message)}`
      return finishOf(finishReason) === 'content_filter' ? `finish_reason is ${quote(finishReason ?? '')}` : null
    },
  },
  OTHER_MODEL,
  {
    id: 'server-read-calls',
    blames: 'server',
    means: 'Calls are text in this format, but the server read them itself.',
    evidence: ({ input, line: { toolCalls } }) => {
      const [first] = toolCalls
      return first === undefined || hasNativeCalls(input)
        ? null
        : `tool_calls holds ${quote(first.name)}, though no tools were sent`
    },
  },
  {
    id: 'calls-announced',
    blames: 'server',
    means: 'The finish reason announces calls, but the reply has no call.',
    evidence: ({ line: { finishReason, toolCalls } }) =>
      finishOf(finishReason) === 'tool_calls' && toolCalls.length === 0
        ? `finish_reason is ${quote(finishReason ?? '')}, and tool_calls is empty`
        : null,
  },
  ...CHANGED_REPLY_CAUSES,
  TURN_DAMAGED,
  CALL_SWALLOWED,
  {
    ...TEXT_SWALLOWED,
    // What is wrong with a text that arrived explains itself.
    evidence: (turn) => (turn.score.strict === 'empty' ? TEXT_SWALLOWED.evidence(turn) : null),
  },
  ARGUMENTS_SWALLOWED,
  CUT_WITHOUT_END,
  {
    id: 'stop-word-ignored',
    blames: 'server',
    means: 'The text goes on after a stop word that was sent to the server.',
    evidence: ({ score, input, line }) => {
      if (!line.warnings.includes('stop-word-ignored') || !AFTER_STOP.has(score.strict)) return null
      const words = input.format.reader.stopWords.map((word) => input.text.indexOf(word))
      const [place = 0] = words.filter((found) => found >= 0).sort((one, other) => one - other)
      return `the text goes on after the stop word, ${at(input.text, place)}`
    },
  },
  ...BROKEN_CAUSES,
  {
    id: 'end-mark-kept',
    blames: 'server',
    means: "The text ends in the model's end mark, which the server should have taken off.",
    evidence: ({ score, input: { text } }) => {
      if (score.strict !== 'leaked_marker') return null
      const mark = END_MARKS.find((each) => text.trimEnd().endsWith(each))
      return mark === undefined ? null : at(text, text.lastIndexOf(mark), mark.length)
    },
  },
  MARKS_EATEN,
  REPLY_IN_REASONING,
  {
    id: 'cut-but-stop',
    blames: 'server',
    means: 'All tokens are used up and a call does not end, but the finish reason says something else.',
    evidence: ({ score, line: { finishReason, usage } }) =>
      score.strict === 'truncated' && finishOf(finishReason) !== 'length'
        ? `finish_reason is ${JSON.stringify(finishReason)}, but all ${usage?.completion ?? 0} tokens are used up`
        : null,
  },
  ...SETUP_CAUSES,
  CALL_LEFT_IN_TEXT,
  TOOLS_NOT_SHOWN,
  OTHER_SYNTAX_ASKED,
  PROMPT_NOT_RENDERED,
  RESULTS_NOT_RENDERED,
  {
    id: 'mark-in-prompt',
    blames: 'prompt',
    means: 'The reply copies marks of a format from the task or from a result; without them it would be fine.',
    evidence: ({ score, input, prompt }) => {
      const found = COPIED.has(score.strict) ? quotedMark(input.text, prompt.given) : null
      if (found === null) return null
      // Only what goes well without the copy failed because of it.
      const without = `${input.text.slice(0, found.start)}${'x'.repeat(found.end - found.start)}${input.text.slice(found.end)}`
      if (!isUsable(labelTurn({ ...input, text: without }))) return null
      const where = found.source === 0 ? 'the task' : `result ${found.source}`
      return `${at(input.text, found.start, found.end - found.start)} is copied from ${where}`
    },
  },
  {
    id: 'readable-but-refused',
    blames: 'parser',
    means: 'The reply can be read with named repairs, but the host made no such call of it.',
    evidence: ({ score, views, input, calls, askedNext }) => {
      const { calls: readable, repairs } = views.lenient.reading
      if (score.lenient !== 'recovered' || wasMade(calls, readable?.length ?? 0)) return null
      if (askedNext?.kind === 'arguments' && askedNext.tool === readable?.[0]?.name) return null
      return deviation(repairs, views, input)
    },
    detail: ({ views }) => views.lenient.reading.repairs[0] ?? null,
  },
  CALLS_NOT_SHOWN,
  ...MODEL_CAUSES,
]

const AFTER_STOP: ReadonlySet<TurnLabel> = new Set<TurnLabel>([
  'hallucinated_observation',
  'leaked_marker',
  'truncated',
])
const COPIED: ReadonlySet<TurnLabel> = new Set<TurnLabel>([
  'hallucinated_observation',
  'leaked_marker',
  'wrong_protocol',
  'malformed',
  'hallucinated_tool',
  'bad_args_schema',
])

function hasNativeCalls({ format }: FailedTurn['input']): boolean {
  return format.reader.callBlocks !== undefined
}
