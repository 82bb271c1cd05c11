import { NO_CALL } from '../../reading/call-block.ts'
import type { Reading } from '../../reading/call-block.ts'
import { foreignCall } from '../../reading/foreign-calls.ts'
import { bareBlocks } from '../../reading/bare-blocks.ts'
import type { FormatReader } from '../format-reader.ts'

/**
 * Calls stand beside the text, their arguments are texts of JSON. A text that looks like a call of another format is one
 * that the server did not read: never an answer.
 */
export const nativeReader: FormatReader = {
  readStrict: readText,
  readLenient: readText,
  callBlocks: (calls) =>
    calls.map(({ name, arguments: json }) => ({
      name,
      json: json.trim(),
      repairs: json.trim() === '' ? (['empty-arguments'] as const) : [],
      start: 0,
      end: 0,
    })),
  blocks: () => [],
  speaks: () => false,
  // Not </tool_call>: what is wrong about a call in the text is that it stands there.
  hostMarks: ['<tool_response>', '</tool_response>'],
  stopWords: [],
  inventsResult: (text) => /<tool_response>\s*[^\s<]/.test(text),
  hasFinalForm: (text) => text.trim() !== '',
  finalText: (text) => text,
  saysWhenDone: false,
  flagsProse: { before: false, after: false },
}

/** A call that is broken in or behind its mark; a mark in a sentence is none. */
const BROKEN_CALL =
  /<tool_call>\s{0,8}(?:[^\s\w]|$)|[}>]\s{0,8}<\/tool_call>|✿(?:FUNCTION|ARGS)✿|<\|python_tag\|>|<function=[\w.-]{1,80}>|\[TOOL_CALLS\]\s{0,4}[[{]/i

function readText(text: string): Reading {
  if (foreignCall(text) === null && !isBroken(text) && bareBlocks(text).length === 0) return NO_CALL
  return { intent: true, calls: null, repairs: [], problem: 'call left in the text' }
}

/** Most answers hold none of the characters that marks begin with. */
function isBroken(text: string): boolean {
  return /[<[✿]/.test(text) && BROKEN_CALL.test(text)
}
