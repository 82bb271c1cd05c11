import type { Grammar } from '../../grammar/grammar.ts'
import { thoughtStates } from '../thought-states.ts'
import { typeValueBySchema } from '../../grammar/values.ts'

/** How replies are read: one wrapper holds all calls of a reply. */
export const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['[e~['],
  states: {
    ...thoughtStates({ open: '<think>', close: '</think>', calls: { '<minimax:tool_call>': 'calls' } }),
    // > <minimax:tool_call>\n<invoke name="f">\n</invoke>\n</minimax:tool_call>
    //                      ^                             ^
    calls: {
      kind: 'nothing',
      mayBeTruncated: true,
      transitions: { '<invoke name="': { to: 'name', opens: true }, '</minimax:tool_call>': 'text' },
    },
    // > <minimax:tool_call>\n<invoke name="f">\n</invoke>\n</minimax:tool_call>
    //                                      ^
    name: { kind: 'name', transitions: { '">': 'body', '<invoke name="': { to: 'name', opens: true } } },
    // > <minimax:tool_call><invoke name="f">\n<parameter name="k">v</parameter>\n</invoke>\n</minimax:tool_call>
    //                                       ^                                  ^
    body: {
      kind: 'nothing',
      transitions: {
        '<parameter name="': 'key',
        '</invoke>': { to: 'calls', closes: true },
        '</minimax:tool_call>': { to: 'text', closes: true },
      },
    },
    // > <minimax:tool_call><invoke name="f"><parameter name="k">v</parameter></invoke>
    //                                                        ^
    key: { kind: 'key', transitions: { '">': 'value' } },
    // > <minimax:tool_call><invoke name="f"><parameter name="k">v</parameter></invoke>
    //                                                           ^
    value: { kind: 'value', nextKey: /^<parameter name="([^"\n]{1,200})">/gm, transitions: { '</parameter>': 'body' } },
  },
  // Nothing of a value belongs to the format; history prints JSON, so that None and True are texts.
  typeValue: typeValueBySchema({ lineFeeds: 0, pythonWords: false }),
}
