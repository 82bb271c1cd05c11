import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { GrammarFormat } from '../../format/grammar-format.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json.ts'
import { thoughtStates } from '../shared-states.ts'
import { MODELS, THINK_CLOSE, THINK_OPEN, TOOL_CALL_CLOSE, TOOL_CALL_OPEN } from './tokens.ts'
import { spelling } from './tokens.ts'

/**
 * How replies are read under `strict`: a tag inside a JSON string is text, and text after a call is kept.
 */
export const STRICT_GRAMMAR: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['<|im_end|>', '<|endoftext|>'],
  states: {
    ...thoughtStates({
      open: THINK_OPEN,
      close: THINK_CLOSE,
      calls: { [TOOL_CALL_OPEN]: { to: 'call', opens: true } },
    }),
    // > <tool_call>{"name": "f", "arguments": {"q": "</tool_call>"}}</tool_call>
    //              ^
    // > <tool_call>clock</tool_call>
    //                ^                 no JSON: dropped up to the next tag, with an issue
    call: {
      kind: 'calls',
      bodyStart: '{',
      next: 'afterCall',
      transitions: { [TOOL_CALL_CLOSE]: 'text', [TOOL_CALL_OPEN]: { to: 'call', opens: true } },
    },
    // The tag may be the stop word of a server, and then it is missing.
    // > <tool_call>{"name": "f", "arguments": {}}</tool_call>
    //                                            ^
    afterCall: {
      kind: 'nothing',
      mayBeTruncated: 'maybe',
      transitions: { [TOOL_CALL_CLOSE]: 'text', [TOOL_CALL_OPEN]: { to: 'call', opens: true } },
    },
  },
  // Members in any order, others included.
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments'] }),
}

/** What `strict` is made of. It has no prompt of its own. */
export function strictParts(): GrammarFormat {
  return {
    id: 'nous',
    about: { models: MODELS, source: 'Qwen-Agent, v0.0.7 to main', licence: 'Apache-2.0' },
    grammar: STRICT_GRAMMAR,
    spelling,
    prompt: null,
  }
}

/** `nous` in the version `strict` alone, without a prompt: for pages, which need not load the versions of Qwen-Agent. */
export const nousStrict: Format = grammarFormat(strictParts())
