import type { Grammar, ReadName, Transition, Transitions } from '../../grammar/grammar.ts'
import { thoughtStates } from '../thought-states.ts'
import { typeValueBySchema } from '../../grammar/values.ts'
import { strip } from '@callspec/python'

const OPENS: Transition = { to: 'name', opens: true }
const CLOSES: Transition = { to: 'text', closes: true }

/** All of what precedes a value: one tag alone may be quoted. */
const NEXT_KEY = /<arg_key>([^<\n]{1,200})<\/arg_key>\s{0,8}<arg_value>/g

/**
 * How replies are read. With line feeds (4.5) a name ends at the first of them; without (4.7) at the next tag. The rest is
 * one grammar: white space between tags does not count.
 */
function grammarWith(nameEnds: Transitions): Grammar {
  return {
    start: 'text',
    thought: 'opened',
    stops: ['<|observation|>', '<|user|>', '<|endoftext|>'],
    states: {
      ...thoughtStates({ open: '<think>', close: '</think>', calls: { '<tool_call>': OPENS } }),
      // > <tool_call>clock\n</tool_call>
      //              ^
      name: {
        kind: 'name',
        transitions: { ...nameEnds, '<arg_key>': 'key', '</tool_call>': CLOSES, '<tool_call>': OPENS },
      },
      // > <tool_call>clock\n<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n</tool_call>
      //                     ^                                             ^
      body: { kind: 'nothing', transitions: { '<arg_key>': 'key', '</tool_call>': CLOSES } },
      // > <tool_call>f\n<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n</tool_call>
      //                          ^
      key: { kind: 'key', transitions: { '</arg_key>': 'between' } },
      // > <tool_call>f\n<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n</tool_call>
      //                                     ^    a key without a value is lost
      between: { kind: 'nothing', transitions: { '<arg_value>': 'value', '<arg_key>': 'key', '</tool_call>': CLOSES } },
      // > <tool_call>f\n<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n</tool_call>
      //                                                  ^
      value: { kind: 'value', nextKey: NEXT_KEY, transitions: { '</arg_value>': 'body' } },
    },
    readName,
    // Nothing of a value belongs to the format; history prints JSON.
    typeValue: typeValueBySchema({ lineFeeds: 0, pythonWords: false }),
  }
}

/** GLM-4.5 and 4.6: a line feed behind the name. */
export const withLineFeeds: Grammar = grammarWith({ '\n': 'body' })

/** GLM-4.7 and 5: no white space between tags. */
export const withoutLineFeeds: Grammar = grammarWith({})

/** White space around a name is no part of it. */
function readName(text: string): ReadName | null {
  const name = strip(text)
  return name === '' ? null : { name, id: null }
}
