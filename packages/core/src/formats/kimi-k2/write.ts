import type { WriteCall } from '../../format/write-items.ts'

/** Around all the calls of a reply. */
export const SECTION = { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' } as const

/** A call as the model writes it. Where the id is lost, the number of the call in the reply stands in. */
export const writeCall: WriteCall = ({ id, name, arguments: text }, _given, index) =>
  CALL_TOKENS[0] + (id ?? `functions.${name}:${index}`) + CALL_TOKENS[1] + text + CALL_TOKENS[2]

/** Before the id, before the arguments, and behind them. */
export const CALL_TOKENS = ['<|tool_call_begin|>', '<|tool_call_argument_begin|>', '<|tool_call_end|>'] as const
