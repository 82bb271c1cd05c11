import { functionTags } from '../function-tags.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import { thoughtStates } from '../thought-states.ts'
import { grammar as coder, NEXT_KEY } from '../qwen3-coder/grammar.ts'

/** The calls of qwen3-coder after a thought, which the prompt has opened. */
export const grammar: Grammar = {
  ...coder,
  start: 'text',
  thought: 'opened',
  states: {
    ...thoughtStates({ open: '<think>', close: '</think>', calls: { '<tool_call>': 'call' }, callsCount: true }),
    ...functionTags({ close: '</tool_call>', after: 'text', nextKey: NEXT_KEY }),
  },
}
