import { functionTags } from '../function-tags.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import { typeValueBySchema } from '../../grammar/values.ts'

/** A line that is exactly the tag of an argument. */
export const NEXT_KEY: RegExp = /^<parameter=([^>\n]{1,200})>[ \t]{0,8}$/gm

/** How replies are read. Thoughts do not exist: `<think>` is text. */
export const grammar: Grammar = {
  start: 'text',
  stops: ['<|im_end|>', '<|endoftext|>'],
  states: {
    // > Let me look.\n\n<tool_call>
    //   ^
    text: { kind: 'text', isTrimmed: true, transitions: { '<tool_call>': 'call' } },
    ...functionTags({ close: '</tool_call>', after: 'text', nextKey: NEXT_KEY }),
  },
  // One line feed at each end belongs to the format; history prints Python's True, False and None.
  typeValue: typeValueBySchema({ lineFeeds: 1, pythonWords: true }),
}
