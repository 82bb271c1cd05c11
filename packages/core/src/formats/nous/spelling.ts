import type { ItemSpelling } from '../../format/write-items.ts'
import { dumps, loads, attempt } from '@callspec/python'
import { TOOL_CALL_CLOSE, TOOL_CALL_OPEN } from './tokens.ts'

/** How a model writes: each call as one JSON object between tags. A thought is part of the text. */
export const spelling: ItemSpelling = {
  beforeCalls: '\n',
  betweenCalls: '\n',
  call: ({ name, arguments: text }) => {
    const given = attempt(() => loads(text)).kind === 'returned' ? text : dumps(text)
    return `${TOOL_CALL_OPEN}\n{"name": ${dumps(name)}, "arguments": ${given}}\n${TOOL_CALL_CLOSE}`
  },
}
