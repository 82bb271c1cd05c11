import { bareBlocks, nousBlocks } from '../reading/nous-blocks.ts'
import { outsideBlocks } from '../reading/outside-blocks.ts'
import { blockDialect } from './dialect.ts'
import type { Dialect } from './dialect.ts'

/** `<tool_call>` with a JSON object in it. */
export const nousDialect: Dialect = blockDialect({
  blocks: nousBlocks,
  looseBlocks: bareBlocks,
  meansCall: (text) => /<tool_call[\s>]/i.test(text) || bareBlocks(text).length > 0,
  withoutBlock: 'no tags round the call',
  hostMarks: ['</tool_call>', '<tool_response>', '</tool_response>'],
  stopWords: [],
  inventsResult: (text) => /<tool_response>\s*[^\s<]/.test(outsideBlocks(nousBlocks(text), text)),
  hasFinalForm: (text) => text.trim() !== '',
  finalText: (text) => text,
  saysWhenDone: false,
  flagsProse: { before: true, after: true },
})
