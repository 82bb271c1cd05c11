import { afterSpace } from '@callspec/python'
import type { Grammar, GrammarState, Transitions } from '../../grammar/grammar.ts'
import type { GemmaMarks } from './marks.ts'
import { jsonOfValue } from './value.ts'

/** How replies are read: the same for all of the family, in marks of their own. */
export function grammarOf({ open, close, quote, thought, end, handOver }: GemmaMarks): Grammar {
  const opens: Transitions = { [open]: { to: 'call', opens: true } }
  const closes: Transitions = { [close]: { to: 'text', closes: true }, ...opens }
  const ends: Transitions = { [close]: { to: 'text', interrupts: true }, ...opens }
  return {
    start: 'text',
    ...(thought === null ? {} : { thought: 'thought' }),
    stops: [end, handOver],
    common: ['call:', 'thought\n'],
    states: {
      // > Let me look.<|tool_call>call:f{}<tool_call|>
      //   ^
      text: { kind: 'text', transitions: { ...opens, ...(thought === null ? {} : { [thought.open]: 'channel' }) } },
      ...(thought === null ? {} : channelStates(thought.close)),
      // > <|tool_call>call:f{}<tool_call|>
      //               ^
      call: { kind: 'nothing', transitions: { 'call:': 'name', ...closes } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                    ^
      name: { kind: 'name', transitions: { '{': 'first', ...ends } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                          ^    no arguments, or else a key
      first: { kind: 'nothing', transitions: { '}': 'end' }, fallback: 'key' },
      // > <|tool_call>call:clock{zone:<|"|>UTC<|"|>,hours:[12,24]}<tool_call|>
      //                          ^                  ^
      key: { kind: 'key', transitions: { ':': 'value', ',': 'key', '}': 'end', ...ends } },
      // > <|tool_call>call:clock{zone:<|"|>UTC<|"|>,hours:[12,24]}<tool_call|>
      //                               ^                   ^
      value: { kind: 'value', quote, transitions: { ',': 'key', '}': 'end', ...ends } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                           ^
      end: { kind: 'nothing', transitions: closes },
    },
    readName: (text) => (/^[\p{L}\p{N}_.-]+$/u.test(text) ? { name: text, id: null } : null),
    readKey: (text) => withoutQuotes(text.slice(afterSpace(text)), quote),
    typeValue: (text) => jsonOfValue(text, quote),
  }
}

/** A thought stands in a channel; a channel of another name is read as one, with its name. */
function channelStates(close: string): { readonly [name: string]: GrammarState } {
  const named: Transitions = { 'thought\n': 'thought', [close]: 'text' }
  return {
    // > <|channel>thought\n
    //             ^
    channel: { kind: 'nothing', mayBeTruncated: true, transitions: named, fallback: 'thought' },
    // > <|channel>thought\nEasy.\n<channel|>
    //                      ^
    thought: { kind: 'reasoning', isTrimmed: true, transitions: { [close]: 'text' } },
  }
}

/** Tools are declared with quoted keys, which models repeat. */
function withoutQuotes(key: string, quote: string): string {
  const isQuoted = key.length >= 2 * quote.length && key.startsWith(quote) && key.endsWith(quote)
  return isQuoted ? key.slice(quote.length, -quote.length) : key
}
