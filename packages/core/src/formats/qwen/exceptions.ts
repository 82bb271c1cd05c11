import type { FormatException } from '../../format/format.ts'

/** The laws of readers that the format breaks because its reference does. */
export const exceptions: readonly FormatException[] = [
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
  {
    law: 'linear-work',
    breach: 'too-much-work',
    texts: /^[^]{4000}/,
    because: 'Versions of Qwen-Agent read the whole text for each snapshot, as their reference does.',
    case: 'a long reply with many snapshots',
  },
]
