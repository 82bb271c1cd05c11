import { foreignCall } from '../reading/foreign-calls.ts'
import { hasCalls } from '../score/view-turn.ts'
import type { AttributionRule } from './attribution.ts'
import type { EpisodeCause } from './failed-episode.ts'
import type { FailedTurn } from './failed-turn.ts'
import { leftCall } from './left-call.ts'
import { at, offsetIn } from './quotation.ts'

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
