import type { ItemSpelling } from '../../format/write-items.ts'
import { ACTION, ACTION_INPUT } from './tokens.ts'

/** How a model writes: name and arguments on a line each, behind the thought. */
export const spelling: ItemSpelling = {
  call: ({ name, arguments: text }) => `${ACTION} ${name}${ACTION_INPUT} ${text}`,
}
