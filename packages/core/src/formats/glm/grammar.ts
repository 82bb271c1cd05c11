import { dumps, strip } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { ItemSpelling } from '../../format/format.ts'
import type { Grammar, ReadName, Transition, Transitions } from '../../grammar/grammar.ts'
import { typeValueBySchema } from '../../grammar/values.ts'
import { thoughtStates } from '../shared-states.ts'

/** What a template writes between the tags of a call. */
export interface CallFeeds {
  readonly afterName: string
  /** Between a key and its value. */
  readonly inPair: string
  readonly afterValue: string
  readonly beforeClose: string
}

/** The same text everywhere but before the closing tag. */
export function feedsOf(feed: '' | '\n'): CallFeeds {
  return { afterName: feed, inPair: feed, afterValue: feed, beforeClose: '' }
}

/** A call between the tags of `<tool_call>`. Nothing is escaped. */
export function callText(
  { afterName, inPair, afterValue, beforeClose }: CallFeeds,
  name: string,
  given: PyDict,
): string {
  const values = [...given].map(
    ([key, value]) => `<arg_key>${key}</arg_key>${inPair}<arg_value>${valueText(value)}</arg_value>${afterValue}`,
  )
  return name + afterName + values.join('') + beforeClose
}

/** How a model writes its calls: `feeds` inside a call, `feed` around it. */
export function callSpelling(
  feeds: CallFeeds,
  feed: string,
): Pick<ItemSpelling, 'call' | 'beforeCalls' | 'betweenCalls'> {
  return {
    beforeCalls: feed,
    betweenCalls: feed,
    call: ({ name }, given) => `<tool_call>${callText(feeds, name, given)}</tool_call>`,
  }
}

/** A text as it is, everything else as JSON. */
function valueText(value: PyValue): string {
  return typeof value === 'string' ? value : dumps(value)
}

const OPENS: Transition = { to: 'name', opens: true }
const CLOSES: Transition = { to: 'text', closes: true }

/** All of what precedes a value: one tag alone may be quoted. */
const NEXT_KEY = /<arg_key>([^<\n]{1,200})<\/arg_key>\s{0,8}<arg_value>/g

/** Of GLM. */
const STOPS = ['<|observation|>', '<|user|>', '<|endoftext|>']

/**
 * How replies are read. With line feeds (4.5) a name ends at the first of them; without (4.7) at the next tag. The rest is
 * one grammar: white space between tags does not count.
 */
export function grammarWith(nameEnds: Transitions, stops: readonly string[] = STOPS): Grammar {
  return {
    start: 'text',
    thought: 'opened',
    stops,
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

/** White space around a name is no part of it. */
function readName(text: string): ReadName | null {
  const name = strip(text)
  return name === '' ? null : { name, id: null }
}
