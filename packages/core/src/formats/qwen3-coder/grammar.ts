import type { Grammar } from '../../grammar/grammar.ts'
import { typeValueBySchema } from '../../grammar/type-value.ts'

/** How replies are read. Thoughts do not exist: `<think>` is text. */
export const grammar: Grammar = {
  start: 'text',
  stops: ['<|im_end|>', '<|endoftext|>'],
  states: {
    text: { is: 'text', isTrimmed: true, until: { '<tool_call>': 'call' } },
    call: { is: 'nothing', isOpen: true, until: { '<function=': { to: 'name', opens: true }, '</tool_call>': 'text' } },
    name: { is: 'name', until: { '>': 'body', '<function=': { to: 'name', opens: true } } },
    body: {
      is: 'nothing',
      until: {
        '<parameter=': 'key',
        '</function>': { to: 'call', closes: true },
        '</tool_call>': { to: 'text', closes: true },
      },
    },
    key: { is: 'key', until: { '>': 'value' } },
    value: { is: 'value', until: { '</parameter>': 'body' } },
  },
  // One line feed at each end belongs to the format; history prints Python's True, False and None.
  typeValue: typeValueBySchema({ lineFeeds: 1, pythonWords: true }),
}
