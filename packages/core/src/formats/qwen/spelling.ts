import type { ItemSpelling } from '../../format/write-items.ts'
import { ARGS_COLON, FUNCTION_COLON } from './tokens.ts'

/** How a model writes: name and arguments on a line each, behind their marks. */
export const spelling: ItemSpelling = {
  beforeCalls: '\n',
  betweenCalls: '\n',
  call: ({ name, arguments: text }) => `${FUNCTION_COLON} ${name}\n${ARGS_COLON} ${text}`,
}
