import type { GrammarState } from './grammar.ts'

/** What stands around the tags of a call, and where the reply goes on behind it. */
export interface FunctionTags {
  /** The marker that ends the wrapper. */
  readonly close: string
  /** The state behind the wrapper. */
  readonly after: string
}

/**
 * The inside of a wrapper where names stand in the tags: `<function=NAME>` around `<parameter=KEY>VALUE</parameter>`. The
 * state `call` is the first one of the wrapper.
 */
export function functionTags({ close, after }: FunctionTags): { readonly [name: string]: GrammarState } {
  return {
    // > <tool_call>\n<function=f>
    //             ^
    call: { is: 'nothing', isOpen: true, until: { '<function=': { to: 'name', opens: true }, [close]: after } },
    // > <function=f>
    //            ^
    name: { is: 'name', until: { '>': 'body', '<function=': { to: 'name', opens: true } } },
    // > <function=f>\n<parameter=k>v</parameter>\n</function>
    //              ^                          ^
    body: {
      is: 'nothing',
      until: {
        '<parameter=': 'key',
        '</function>': { to: 'call', closes: true },
        [close]: { to: after, closes: true },
      },
    },
    // > <parameter=k>
    //             ^
    key: { is: 'key', until: { '>': 'value' } },
    // > <parameter=k>v</parameter>
    //               ^
    value: { is: 'value', until: { '</parameter>': 'body' } },
  }
}
