import { looseReactBlocks, namesAction, reactBlocks } from '../reading/react-blocks.ts'
import { blockDialect } from './dialect.ts'
import type { Dialect } from './dialect.ts'

const FINAL_ANSWER = 'Final Answer:'

/** `Action:` and `Action Input:`, one call at a time. */
export const reactDialect: Dialect = blockDialect({
  blocks: reactBlocks,
  looseBlocks: looseReactBlocks,
  meansCall: namesAction,
  withoutBlock: 'markers malformed',
  // A reply begins behind "Thought:"; elsewhere an action may be the first line.
  asReply: (text) => `\n${text}`,
  hostMarks: [],
  stopWords: ['Observation:'],
  inventsResult: (text) => /(?:^|\n)[ \t]*Observation:\s*\S/.test(text),
  hasFinalForm: (text) => /(?:^|\n)[ \t]*Final Answer:/.test(text),
  finalText: (text) => {
    const marker = text.lastIndexOf(FINAL_ANSWER)
    return marker < 0 ? text : text.slice(marker + FINAL_ANSWER.length)
  },
  saysWhenDone: true,
  flagsProse: { before: false, after: false },
})
