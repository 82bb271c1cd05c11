import type { FormatException } from '../../format/format.ts'

/** The laws of readers that the format breaks because its reference does. */
export const exceptions: readonly FormatException[] = [
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
  {
    law: 'linear-work',
    breach: 'too-much-work',
    texts: /^[^]{4000}/,
    because: 'Versions of Qwen-Agent read the whole text for each snapshot, as their reference does.',
    case: 'a long reply with many snapshots',
  },
]
