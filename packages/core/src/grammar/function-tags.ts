import type { GrammarState } from './grammar.ts'

/** What stands around the tags of a call, and where the reply goes on behind it. */
export interface FunctionTags {
  /** The marker that ends the wrapper. */
  readonly close: string
  /** The state behind the wrapper. */
  readonly after: string
  /** How an argument begins, as `nextKey` of a state. */
  readonly nextKey: RegExp
}

/**
 * The inside of a wrapper where names stand in the tags: `<function=NAME>` around `<parameter=KEY>VALUE</parameter>`. The
 * state `call` is the first one of the wrapper.
 */
export function functionTags({ close, after, nextKey }: FunctionTags): { readonly [name: string]: GrammarState } {
  return {
    // > <tool_call>\n<function=f>\n</function>\n</tool_call>
    //              ^                          ^
    call: { is: 'nothing', isOpen: true, until: { '<function=': { to: 'name', opens: true }, [close]: after } },
    // > <tool_call>\n<function=f>\n</function>\n</tool_call>
    //                          ^
    name: { is: 'name', until: { '>': 'body', '<function=': { to: 'name', opens: true } } },
    // > <tool_call><function=f>\n<parameter=k>v</parameter>\n</function>\n</tool_call>
    //                          ^                           ^
    body: {
      is: 'nothing',
      until: {
        '<parameter=': 'key',
        '</function>': { to: 'call', closes: true },
        [close]: { to: after, closes: true },
      },
    },
    // > <tool_call><function=f><parameter=k>v</parameter></function></tool_call>
    //                                     ^
    key: { is: 'key', until: { '>': 'value' } },
    // > <tool_call><function=f><parameter=k>v</parameter></function></tool_call>
    //                                       ^
    value: { is: 'value', nextKey, until: { '</parameter>': 'body' } },
  }
}
