import type { ItemSpelling } from '../../format/write-items.ts'
import type { CallItem } from '../../reply/item.ts'
import { FENCE, MARKS } from './markers.ts'

/** How V3 and R1 spell a reply. */
export const v3Spelling: ItemSpelling = spellingWith(
  ({ name, arguments: text }) => `function${MARKS.separator}${name}${FENCE[0]}${text}${FENCE[1]}`,
  '\n',
)

/** How V3.1 spells a reply. */
export const v31Spelling: ItemSpelling = spellingWith(({ name, arguments: text }) => name + MARKS.separator + text, '')

/** `inside` writes what stands between the tokens of a call. */
function spellingWith(inside: (call: CallItem) => string, betweenCalls: string): ItemSpelling {
  return {
    thought: { open: MARKS.thought[0], close: MARKS.thought[1] },
    section: { open: MARKS.calls[0], close: MARKS.calls[1] },
    betweenCalls,
    call: (call) => MARKS.call[0] + inside(call) + MARKS.call[1],
  }
}
