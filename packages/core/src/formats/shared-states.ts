import type { GrammarState, Transitions } from '../grammar/grammar.ts'
import type { PyDict } from '@callspec/python'
import { dumps, str, isDict, isList } from '@callspec/python'
import type { WriteCall } from '../format/format.ts'

/** The markers around a thought, and those that begin a call in the text. */
export interface ThoughtMarkers {
  readonly open: string
  readonly close: string
  /** The markers that end a text, and where they lead. */
  readonly calls: Transitions
  /** Whether calls count that end a thought which is never closed. */
  readonly callsCount?: true
}

/**
 * Text with thoughts in it: a reply begins in `text`, or in `opened` where the prompt has opened a thought. Nothing in a
 * thought that is closed is a call: drafts are inert.
 */
export function thoughtStates({ open, close, calls, callsCount }: ThoughtMarkers): {
  readonly [name: string]: GrammarState
} {
  return {
    // > Hm.</think>
    //   ^              some models open the thought once more
    opened: { kind: 'nothing', transitions: { [open]: 'thought', [close]: 'text' }, fallback: 'thought' },
    // > <think>Hm.</think>
    //          ^
    // > <think>Hm. <tool_call>…</tool_call>
    //                                      ^   the thought is never closed
    thought: {
      kind: 'reasoning',
      isTrimmed: true,
      transitions: { [close]: 'text' },
      ...(callsCount === undefined ? {} : { callsCount }),
    },
    // > Hm.</think>\n\n</think>Noon.
    //              ^                   a closing tag that closes nothing is dropped
    text: { kind: 'text', isTrimmed: true, transitions: { ...calls, [open]: 'thought', [close]: 'text' } },
  }
}

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

/** How their arguments begin: a line that is only the tag. */
export const NEXT_PARAMETER: RegExp = /^<parameter=([^>\n]{1,200})>[ \t]{0,8}$/gm

/** How values are written between the tags. */
export interface ValueStyle {
  /** Values that are neither texts nor maps nor lists: as Python's `str` (`True`, `None`), or as JSON. */
  readonly words: 'python' | 'json'
  /** Before and after a value. */
  readonly feed: '' | '\n'
}

const USUAL: ValueStyle = { words: 'python', feed: '\n' }

/** A call of Qwen3-Coder and of what has its tags, between those of `<tool_call>`. */
export function taggedCall(name: string, given: PyDict, { words, feed }: ValueStyle = USUAL): string {
  const parameters = [...given].map(([key, value]) => {
    const isJson = isDict(value) || isList(value) || (words === 'json' && typeof value !== 'string')
    return `<parameter=${key}>${feed}${isJson ? dumps(value) : str(value)}${feed}</parameter>\n`
  })
  return `\n<function=${name}>\n${parameters.join('')}</function>\n`
}

/** The same with the tags. */
export const writeTaggedCall: WriteCall = taggedCallWriter(USUAL)

/** Writes whole calls in a style. */
export function taggedCallWriter(style: ValueStyle): WriteCall {
  return ({ name }, given) => `<tool_call>${taggedCall(name, given, style)}</tool_call>`
}

/** What the prompts of both say of the form of a call. */
export const TAG_FORM = `
If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
`

/** What they say after the tools. */
export const TAG_INSTRUCTION: string = `
${TAG_FORM}- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls
</IMPORTANT>`
