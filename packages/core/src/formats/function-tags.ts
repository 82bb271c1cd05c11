import type { GrammarState } from '../grammar/grammar.ts'

/** What encloses the tags of a call, and where the reply goes on after it. */
export interface FunctionTags {
  /** The marker that ends the wrapper. */
  readonly close: string
  /** The state after the wrapper. */
  readonly after: string
  /** How an argument begins, as `nextKey` of a state. */
  readonly nextKey: RegExp
}

/**
 * The states inside a wrapper whose tags contain the names: `<function=NAME>` around `<parameter=KEY>VALUE</parameter>`.
 * `call` is the first one.
 */
export function functionTags({ close, after, nextKey }: FunctionTags): { readonly [name: string]: GrammarState } {
  return {
    // > <tool_call>\n<function=f>\n</function>\n</tool_call>
    //              ^                          ^
    call: {
      kind: 'nothing',
      mayBeTruncated: true,
      transitions: { '<function=': { to: 'name', opens: true }, [close]: after },
    },
    // > <tool_call>\n<function=f>\n</function>\n</tool_call>
    //                          ^
    name: { kind: 'name', transitions: { '>': 'body', '<function=': { to: 'name', opens: true } } },
    // > <tool_call><function=f>\n<parameter=k>v</parameter>\n</function>\n</tool_call>
    //                          ^                           ^
    body: {
      kind: 'nothing',
      transitions: {
        '<parameter=': 'key',
        '</function>': { to: 'call', closes: true },
        [close]: { to: after, closes: true },
      },
    },
    // > <tool_call><function=f><parameter=k>v</parameter></function></tool_call>
    //                                     ^
    key: { kind: 'key', transitions: { '>': 'value' } },
    // > <tool_call><function=f><parameter=k>v</parameter></function></tool_call>
    //                                       ^
    value: { kind: 'value', nextKey, transitions: { '</parameter>': 'body' } },
  }
}
