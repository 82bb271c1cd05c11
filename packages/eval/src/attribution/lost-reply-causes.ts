import { balancedEnd } from '@callspec/python'
import { finishOf } from '../trace/finish-reason.ts'
import type { TurnLine } from '../trace/trace.ts'
import { foreignCall } from '../reading/foreign-calls.ts'
import { isUsable } from '../score/is-usable.ts'
import { labelTurn } from '../score/label-turn.ts'
import type { AttributionRule } from './attribution.ts'
import type { FailedTurn } from './failed-turn.ts'
import { at, quote } from './quotation.ts'
import { textCall } from './trouble.ts'

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
