import { afterSpace } from '../../grammar/edges.ts'
import type { Exit, Grammar, GrammarState, ReadName } from '../../grammar/grammar.ts'
import type { GemmaMarks } from './marks.ts'
import { jsonOfValue } from './value.ts'

/** How replies are read: the same for all of the family, in marks of their own. */
export function grammarOf({ open, close, quote, thought, end, handOver }: GemmaMarks): Grammar {
  const opens: Exit = { to: 'call', opens: true }
  const ends: { readonly [marker: string]: Exit } = { [close]: { to: 'text', interrupts: true }, [open]: opens }
  return {
    start: 'text',
    ...(thought === null ? {} : { thought: 'thought' }),
    stops: [end, handOver],
    common: ['call:', 'thought\n'],
    states: {
      // > Let me look.<|tool_call>call:f{}<tool_call|>
      //   ^
      text: { is: 'text', until: { [open]: opens, ...(thought === null ? {} : { [thought.open]: 'channel' }) } },
      ...(thought === null ? {} : channelStates(thought.close)),
      // > <|tool_call>call:f{}<tool_call|>
      //               ^
      call: { is: 'nothing', until: { 'call:': 'name', [close]: { to: 'text', closes: true }, [open]: opens } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                    ^
      name: { is: 'name', until: { '{': 'first', ...ends } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                          ^    no arguments, or else a key
      first: { is: 'nothing', until: { '}': 'end' }, otherwise: 'key' },
      // > <|tool_call>call:clock{zone:<|"|>UTC<|"|>,hours:[12,24]}<tool_call|>
      //                          ^                  ^
      key: { is: 'key', until: { ':': 'value', ',': 'key', '}': 'end', ...ends } },
      // > <|tool_call>call:clock{zone:<|"|>UTC<|"|>,hours:[12,24]}<tool_call|>
      //                               ^                   ^
      value: { is: 'value', quote, until: { ',': 'key', '}': 'end', ...ends } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                           ^
      end: { is: 'nothing', until: { [close]: { to: 'text', closes: true }, [open]: opens } },
    },
    readName,
    readKey: (text) => withoutQuotes(text.slice(afterSpace(text)), quote),
    typeValue: (text) => jsonOfValue(text, quote),
  }
}

/** A thought stands in a channel; a channel of another name is read as one, with its name. */
function channelStates(close: string): { readonly [name: string]: GrammarState } {
  return {
    // > <|channel>thought\n
    //             ^
    channel: { is: 'nothing', isOpen: true, until: { 'thought\n': 'thought', [close]: 'text' }, otherwise: 'thought' },
    // > <|channel>thought\nEasy.\n<channel|>
    //                      ^
    thought: { is: 'reasoning', isTrimmed: true, until: { [close]: 'text' } },
  }
}

function readName(text: string): ReadName | null {
  return /^[\p{L}\p{N}_.-]+$/u.test(text) ? { name: text, id: null } : null
}

/** Tools are declared with quoted keys, which models repeat. */
function withoutQuotes(key: string, quote: string): string {
  const isQuoted = key.length >= 2 * quote.length && key.startsWith(quote) && key.endsWith(quote)
  return isQuoted ? key.slice(quote.length, -quote.length) : key
}
