import type { FormatException } from '../../format/format.ts'

/** The laws of readers that the format breaks because its reference does. */
export const exceptions: readonly FormatException[] = [
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
  {
    law: 'linear-work',
    breach: 'too-much-work',
    texts: /^[^]{4000}/,
    because: 'Versions of Qwen-Agent read the whole text for each snapshot, as their reference does.',
    case: 'a long reply with many snapshots',
  },
]
