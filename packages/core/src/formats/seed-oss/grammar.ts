import { functionTags } from '../function-tags.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import { thoughtStates } from '../thought-states.ts'
import { typeValueBySchema } from '../../grammar/values.ts'

/** How replies are read: tags of its own around calls and thoughts, inside of calls those of qwen3-coder. */
export const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['<seed:eos>'],
  states: {
    ...thoughtStates({ open: '<seed:think>', close: '</seed:think>', calls: { '<seed:tool_call>': 'call' } }),
    // The value begins on the line of its tag.
    ...functionTags({ close: '</seed:tool_call>', after: 'text', nextKey: /^<parameter=([^>\n]{1,200})>/gm }),
  },
  // Nothing of a value belongs to the format; history prints whatever is no text as Python does.
  typeValue: typeValueBySchema({ lineFeeds: 0, pythonWords: true, pythonLiterals: true }),
}
