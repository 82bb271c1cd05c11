import { NO_CALL } from '../../reading/call-block.ts'
import type { Reading } from '../../reading/call-block.ts'
import { foreignCall } from '../../reading/foreign-calls.ts'
import { bareBlocks } from '../../reading/read-blocks.ts'
import { toPlain } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'
import { rawApiHost } from '../qwen-agent-host.ts'
import type { FormatReader, Host, HostOptions } from '../eval-format.ts'

/**
 * The reference's function-calling agent with `use_raw_api`: tools go out as `tools`, calls come back as `tool_calls`,
 * and whose format they have is the server's business.
 */
export function nativeHost(options: HostOptions): Host {
  return { ...rawApiHost(options), usesTools: true, wireMessage }
}

/**
 * A message as servers take it. The reference puts the id of the call under `id` and leaves its own bookkeeping in the
 * message, which OpenAI's server and stricter ones refuse; `tool_call_id` is where they look for it.
 */
function wireMessage(message: PyDict): Readonly<Record<string, PlainValue>> {
  const plain = toPlain(message) as Readonly<Record<string, PlainValue>>
  if (plain['role'] === 'tool')
    return { role: 'tool', tool_call_id: plain['id'] ?? '', content: plain['content'] ?? '' }
  const { extra: _extra, ...rest } = plain
  return rest
}

/**
 * Calls arrive in `tool_calls`, with arguments as JSON text. Text that looks like a call of another format is one
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
  // Not </tool_call>: a call in the text is reported as such.
  hostMarks: ['<tool_response>', '</tool_response>'],
  stopWords: [],
  inventsResult: (text) => /<tool_response>\s*[^\s<]/.test(text),
  hasFinalForm: (text) => text.trim() !== '',
  finalText: (text) => text,
  saysWhenDone: false,
  flagsProse: { before: false, after: false },
}

/** A call that is broken in or after its marker. A marker in a sentence is not a call. */
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
