import { balancedEnd } from '@callspec/python'
import { finishOf } from '../trace/completion.ts'
import { foreignCall } from '../reading/foreign-calls.ts'
import { isUsable } from '../score/scored-turn.ts'
import { labelTurn } from '../score/label-turn.ts'
import { at, quote, offsetIn } from './quotation.ts'
import { textCall } from './parse-failure.ts'
import { hasCalls } from '../score/view-turn.ts'
import { leftCall } from './left-call.ts'
import type { TurnLine } from '../trace/trace.ts'
import type { AttributionRule, FailedTurn, EpisodeCause } from './attribution.ts'

/**
 * A server that was to read the calls has no parser, or one for another format than the model's. A call that no parser could
 * read is not left in the text by the server alone, so it stays the model's.
 */
export const CALL_LEFT_IN_TEXT: AttributionRule<FailedTurn> = {
  id: 'call-left-in-text',
  blames: 'server',
  means:
    'The server was to read the calls, and left one in the text that can be read: its tool parser is missing, or another.',
  evidence: ({ input, views: { strict } }) => {
    if (input.format.reader.callBlocks === undefined || hasCalls(strict.reading)) return null
    const found = leftCall(strict.readable)
    if (found === null) return null
    const offset = offsetIn(input.text, strict.visible.slice(found.start))
    return `tool_calls is empty, the text holds what looks like ${found.format}, ${at(input.text, offset)}`
  },
}

/** The format was asked for, so nobody but the model chose another; its host takes such a call for an answer. */
export const OTHER_FORMAT_SPOKEN: EpisodeCause = {
  id: 'wrong-protocol',
  blames: 'model',
  means: 'The episode ends in a call of another format, which the host takes for an answer.',
  evidence: ({ format, trace }) => {
    const text = trace.turns.at(-1)?.text ?? ''
    if (format.reader.callBlocks !== undefined || foreignCall(text)?.isWhole !== true) return null
    const found = leftCall(text)
    return found === null ? null : `not ${format.id}, what looks like ${found.format}, ${at(text, found.start)}`
  },
}

type Cause = AttributionRule<FailedTurn>

/** The stream ended as if all were said, without a word about why: what is missing was lost on the way. */
export const CUT_WITHOUT_END: Cause = {
  id: 'cut-without-end',
  blames: 'server',
  means: 'The reply breaks off, and no finish reason says that it has come to its end.',
  evidence: (turn) => {
    const { line, input } = turn
    if (!lacksEnd(line) || (!breaksOff(turn) && !(isBlank(line) && line.usage === null))) return null
    return `there is no finish_reason, and the reply ends in ${tailOf(line.toolCalls.at(-1)?.arguments ?? input.text)}`
  },
}

/** The letters of the marks came, the marks did not. */
export const MARKS_EATEN: Cause = {
  id: 'marks-eaten',
  blames: 'server',
  means: 'The call has everything but its ✿ marks: the server takes them for special tokens and leaves them out.',
  evidence: ({ input }) => {
    const place = input.format.reader.eatenAt?.(input.text) ?? null
    return place === null ? null : `what is left of ✿FUNCTION✿ and ✿ARGS✿ is ${at(input.text, place)}`
  },
}

/** What would have been a good reply stands where only thinking belongs. */
export const REPLY_IN_REASONING: Cause = {
  id: 'reply-in-reasoning',
  blames: 'server',
  means: 'The whole reply came as reasoning, and the text is empty.',
  evidence: ({ line, input }) =>
    isAllReasoning(line) && endsInReply(input, line.reasoning.trimEnd())
      ? `the text is empty, and the reasoning ends in ${tailOf(line.reasoning)}`
      : null,
}

/** Whether nothing says why a reply has ended. */
export function lacksEnd({ finishReason, failure }: TurnLine): boolean {
  return failure === null && finishOf(finishReason) === 'unknown' && (finishReason ?? '').trim() === ''
}

/** Whether a reply is reasoning and nothing else, and came to its end. */
export function isAllReasoning({ text, toolCalls, reasoning, finishReason }: TurnLine): boolean {
  const isSilent = text.trim() === '' && toolCalls.length === 0
  return isSilent && reasoning.trim() !== '' && finishOf(finishReason) !== 'length'
}

/** The end of a text, quoted with its place. */
export function tailOf(text: string): string {
  const from = Math.max(0, text.length - TAIL)
  return text === '' ? quote('') : at(text, from)
}

/** So much of the end of a reply is quoted. */
const TAIL = 40

function isBlank({ text, reasoning, toolCalls }: TurnLine): boolean {
  return text.trim() === '' && reasoning.trim() === '' && toolCalls.length === 0
}

/** Whether a text ends inside its last call: marks without their end, or JSON that is not closed. */
function breaksOff({ views: { strict } }: FailedTurn): boolean {
  const last = strict.blocks.at(-1)
  if (last === undefined) return endsInMark(strict.visible) || endsInJson(strict.visible)
  // Behind a close tag the call has come to its end, whatever stands in it.
  return last.repairs.includes('close-tag') || (!isClosed(last.json) && !strict.visible.trimEnd().endsWith('>'))
}

function endsInMark(text: string): boolean {
  return /(?:<\/?t?o?o?l?_?c?a?l?l?>?|✿F?U?N?C?T?I?O?N?|(?:^|\n)Action(?: Input)?:?[^\n]{0,80})\s*$/.test(
    text.slice(-120),
  )
}

function endsInJson(text: string): boolean {
  const start = text.indexOf('{')
  return start >= 0 && balancedEnd(text, start) === null
}

function isClosed(json: string): boolean {
  const start = json.search(/[{[]/)
  return start >= 0 && balancedEnd(json, start) !== null
}

/** Whether the reasoning is a reply of the format: a call that ends it, or the mark of a final answer. */
function endsInReply(input: FailedTurn['input'], reasoning: string): boolean {
  const { reader } = input.format
  if (reader.callBlocks !== undefined) {
    const holdsCall = foreignCall(reasoning)?.isWhole === true || textCall(reasoning) !== null
    return holdsCall && /[>\]})|]$/.test(reasoning)
  }
  const question = input.question ?? null
  const score = labelTurn({ ...input, text: reasoning, reasoning: null })
  if (!isUsable(score)) return false
  if (score.strict !== 'well_formed') return reader.saysWhenDone && reader.hasFinalForm(reasoning, question)
  const end = reader.blocks(reasoning).at(-1)?.end ?? reasoning.length
  return reasoning.slice(end).trim() === ''
}
