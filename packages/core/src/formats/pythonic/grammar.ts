import type { Grammar, GrammarState } from '../../grammar/grammar.ts'
import { readPythonCalls } from '../../grammar/python.ts'
import type { ItemSpelling } from '../../format/format.ts'
import type { ValueNotation } from '../../conversation/value-notation.ts'
import { valueText } from '../../conversation/value-notation.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { dumps, quoteText } from '@callspec/python'

/** A list that is the whole reply; what is no list of calls is text. */
const BARE: GrammarState = { kind: 'calls', python: 'list', next: 'end', fallback: 'text', transitions: {} }
const END: GrammarState = { kind: 'nothing', transitions: {} }

/** How replies of `pythonic` are read: there is no marker at all. */
export const bare: Grammar = {
  start: 'bare',
  stops: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'],
  states: {
    // > [f(x=1), g()]
    //   ^
    bare: BARE,
    // > It is noon.
    //   ^
    text: { kind: 'text', transitions: {} },
    // > [f(x=1), g()]
    //                ^
    end: END,
  },
  readCalls: (text) => readPythonCalls(text, { form: 'list' }),
}

/** How replies of Llama 4 are read: between tokens or bare. Of the tokens the last one may be missing. */
export const LLAMA4_TOKENS: CallTokens = {
  open: '<|python_start|>',
  close: '<|python_end|>',
  stops: ['<|eot|>', '<|eom|>'],
  isCloseNeeded: false,
}

/** How replies of LFM2 are read: between tokens with text around them; LFM2.5 writes the list bare, too. */
export const LFM2_TOKENS: CallTokens = {
  open: '<|tool_call_start|>',
  close: '<|tool_call_end|>',
  stops: ['<|im_end|>', '<|endoftext|>'],
  isCloseNeeded: true,
}

const JSON_WORDS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** How replies of Olmo 3 are read: one call a line between tags that are text, and JSON's words as well as Python's. */
export const olmo3: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['<|im_end|>', '<|endoftext|>'],
  states: {
    // The prompt has opened the thought; some models open it once more.
    // > Hm.</think>Noon.
    //   ^
    opened: { kind: 'nothing', transitions: { '<think>': 'thought' }, fallback: 'thought' },
    // > <think>Hm.</think>Noon.
    //          ^
    thought: { kind: 'reasoning', transitions: { '</think>': 'text' } },
    // > <think>Hm.</think>Noon.
    //                     ^
    text: { kind: 'text', transitions: { '<think>': 'thought', '<function_calls>': { to: 'calls', opens: true } } },
    // > <function_calls>f(x=1)\ng()</function_calls>
    //                   ^
    calls: {
      kind: 'calls',
      python: 'lines',
      mayBeTruncated: true,
      next: 'unclosed',
      fallback: 'text',
      transitions: { '</function_calls>': { to: 'text', closes: true } },
    },
    // > <function_calls>f(x=1)
    //                         ^
    unclosed: { kind: 'nothing', mayBeTruncated: true, transitions: {} },
  },
  readCalls: (text) => readPythonCalls(text, { form: 'lines', words: JSON_WORDS }),
}

/** The tokens around a list of calls. */
interface CallTokens {
  readonly open: string
  readonly close: string
  readonly stops: readonly string[]
  /** Whether a reply that ends without the closing token was cut for certain. */
  readonly isCloseNeeded: boolean
}

/** How replies are read whose calls are in a list between two tokens. */
export function betweenTokens({ open, close, stops, isCloseNeeded }: CallTokens): Grammar {
  const opening = { [open]: { to: 'list', opens: true } } as const
  return {
    start: 'bare',
    stops,
    states: {
      // > [f(x=1), g()]
      //   ^
      bare: BARE,
      // > [f(x=1), g()]
      //                ^
      end: END,
      // > Let me look.<|tool_call_start|>[f()]<|tool_call_end|>
      //   ^
      // > <|tool_call_start|>[f()]<|tool_call_end|>There you are.
      //                                            ^               what follows the calls is text as well
      text: { kind: 'text', transitions: opening },
      // > <|tool_call_start|>[f()]<|tool_call_end|>
      //                      ^
      list: {
        kind: 'calls',
        python: 'list',
        isToken: true,
        mayBeTruncated: true,
        next: 'unclosed',
        fallback: 'unread',
        transitions: { [close]: { to: 'text', closes: true } },
      },
      // > <|tool_call_start|>[f(x=y)]<|tool_call_end|>
      //                      ^    text, but for its tokens
      unread: { kind: 'text', transitions: { [close]: 'text', ...opening } },
      // > <|tool_call_start|>[f()]
      //                           ^
      unclosed: { kind: 'nothing', mayBeTruncated: isCloseNeeded ? true : 'maybe', transitions: {} },
    },
    readCalls: (text) => readPythonCalls(text, { form: 'list' }),
  }
}

/** A list of calls between two texts. */
export function listSpelling(open: string, close: string): ItemSpelling {
  return {
    section: { open: `${open}[`, close: `]${close}` },
    betweenCalls: ', ',
    call: ({ name }, given) => `${name}(${keywordArguments(given, pythonText)})`,
  }
}

/** One call a line, with values as JSON. */
export const LINES: ItemSpelling = {
  thought: { open: '<think>', close: '</think>' },
  section: { open: '<function_calls>', close: '</function_calls>' },
  betweenCalls: '\n',
  call: ({ name }, given) => `${name}(${keywordArguments(given, dumps)})`,
}

/** `city="Oslo", days=2`. */
export function keywordArguments(given: PyDict, spell: (value: PyValue) => string): string {
  return [...given].map(([key, value]) => `${key}=${spell(value)}`).join(', ')
}

function pythonText(value: PyValue): string {
  return valueText(value, PYTHON)
}

/** As Python writes values. Texts have double quotes; every escape of JSON is one of Python, too. */
const PYTHON: ValueNotation = {
  words: { null: 'None', true: 'True', false: 'False' },
  string: quoteText,
  key: quoteText,
  comma: ', ',
  colon: ': ',
}
