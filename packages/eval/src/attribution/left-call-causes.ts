import { protocolEntry } from '../protocols/table.ts'
import { foreignCall } from '../reading/foreign-calls.ts'
import { alternatives, identifiedFrom } from '../reading/identify-text.ts'
import { hasCalls } from '../score/view-turn.ts'
import type { AttributionRule } from './attribution.ts'
import type { FailedTurn } from './failed-turn.ts'
import { at, offsetIn } from './quotation.ts'
import { textCall } from './trouble.ts'

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
    if (protocolEntry(input.protocol).dialect.callBlocks === undefined || hasCalls(strict.reading)) return null
    const found = leftCall(strict.readable)
    if (found === null) return null
    const offset = offsetIn(input.text, strict.visible.slice(found.start))
    return `tool_calls is empty, the text holds what looks like ${found.format}, ${at(input.text, offset)}`
  },
}

/** The first call in a text that a parser of its format could read, and what that is called. */
function leftCall(text: string): { readonly format: string; readonly start: number } | null {
  const foreign = foreignCall(text)
  if (foreign?.isWhole === true) return { ...foreign, format: nameOf(text, foreign.start) ?? foreign.format }
  const start = textCall(text)
  return start === null ? null : { format: nameOf(text, start) ?? 'bare JSON', start }
}

/** Null for the call of a family that cannot be read here. */
function nameOf(text: string, start: number): string | null {
  const formats = identifiedFrom(text, start)
  return formats.length === 0 ? null : alternatives(formats)
}
