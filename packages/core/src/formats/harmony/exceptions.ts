import type { FormatException } from '../../format/format.ts'

/** The laws of readers that the format breaks because its reference does. */
export const exceptions: readonly FormatException[] = [
  {
    law: 'truncation-honesty',
    breach: 'broken-arguments',
    texts: /(?:\s|<\|constrain\|>)(?!(?:<\|constrain\|>\s*)?json\s*<)(?!to=)\S+\s*<\|message\|>/,
    because: 'Arguments of a type that is not json are free text, such as a program.',
    case: 'a program as arguments',
  },
]
