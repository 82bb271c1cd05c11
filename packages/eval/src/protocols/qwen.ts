import { bareBlocks } from '../reading/nous-blocks.ts'
import { eatenMarks, looseQwenBlocks, qwenBlocks } from '../reading/qwen-blocks.ts'
import { blockDialect } from './dialect.ts'
import type { Dialect } from './dialect.ts'

/** `✿FUNCTION✿` and `✿ARGS✿`. */
export const qwenDialect: Dialect = blockDialect({
  blocks: qwenBlocks,
  looseBlocks: (text) => {
    const loose = looseQwenBlocks(text)
    return loose.length > 0 ? loose : bareBlocks(text)
  },
  meansCall: (text) =>
    /✿[ \t]*(?:FUNCTION|ARGS)/i.test(text) || eatenMarks(text) !== null || bareBlocks(text).length > 0,
  withoutBlock: 'no tags round the call',
  hostMarks: ['✿RESULT✿', '✿RETURN✿'],
  stopWords: ['✿RESULT✿:', '✿RESULT✿', '✿RETURN✿:', '✿RETURN✿'],
  inventsResult: (text) => /✿RESULT✿:?\s*[^\s✿]/.test(text),
  hasFinalForm: (text) => text.trim() !== '',
  finalText: (text) => text,
  saysWhenDone: false,
  flagsProse: { before: true, after: false },
})
