import type { Exception } from './exception.ts'

/**
 * Where the built-in formats break a law because the reference does. Each has a case of its name in
 * `fixtures/laws/exceptions.json`; `docs/laws.md` lists them.
 */
export const EXCEPTIONS: { readonly [format: string]: readonly Exception[] | undefined } = {
  nous: [
    {
      law: 'no-marker-leak',
      breach: 'leaked </tool_call>',
      texts: /(?:^|<\/think>)(?:(?!<tool_call>)[^])*<\/tool_call>/,
      because: 'What stands before the first <tool_call> is prose, a </tool_call> included.',
      case: 'a closing tag before the first call',
    },
    {
      law: 'round-trip',
      breach: 'call-differs',
      texts: /[\u2028\u2029]/,
      because: 'JSON5 has no raw line separators in strings, so such arguments are shown as a quoted text.',
      case: 'a line separator in a value',
    },
  ],
  qwen: [
    {
      law: 'no-marker-leak',
      breach: 'leaked ✿ARGS✿:',
      texts: /^(?:(?!✿FUNCTION✿:)[^])*✿ARGS✿:/,
      because: 'What stands before the first ✿FUNCTION✿: is prose, an ✿ARGS✿: included.',
      case: 'arguments before the name',
    },
    {
      law: 'truncation-honesty',
      breach: 'broken-arguments',
      texts: /✿ARGS✿:\s*```/,
      because: 'A Markdown block is how the format hands over code, so it is well-formed, cut off or not.',
      case: 'a code block that is not closed',
    },
  ],
  harmony: [
    {
      law: 'truncation-honesty',
      breach: 'broken-arguments',
      texts: /(?:\s|<\|constrain\|>)(?!(?:<\|constrain\|>\s*)?json\s*<)(?!to=)\S+\s*<\|message\|>/,
      because: 'Arguments of a type that is not json are free text, such as a program.',
      case: 'a program as arguments',
    },
  ],
  react: [
    {
      law: 'no-marker-leak',
      breach: 'leaked Action:',
      texts: /\nAction:[^]*\nAction:/,
      because: 'The last Action counts, and everything before it is the thought (Q19).',
      case: 'two actions',
    },
    {
      law: 'no-marker-leak',
      breach: 'leaked Action Input:',
      texts: /\nAction Input:[^]*\nAction:/,
      because: 'The last Action counts, and everything before it is the thought (Q19).',
      case: 'an input before the action',
    },
    {
      law: 'truncation-honesty',
      breach: 'broken-arguments',
      texts: /\nAction Input:\s*```/,
      because: 'A Markdown block is how agents hand over code, so it is well-formed, cut off or not.',
      case: 'a code block that is not closed',
    },
  ],
}
