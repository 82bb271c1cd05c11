import type { CallBlock } from './call-block.ts'

/** The text between and around the calls. */
export function outsideBlocks(blocks: readonly CallBlock[], text: string): string {
  const kept: string[] = []
  let at = 0
  for (const block of blocks) {
    kept.push(text.slice(at, block.start))
    at = Math.max(at, block.end)
  }
  return [...kept, text.slice(at)].join('\n')
}

/** A fenced block, or one that is never closed, or a stretch in backquotes on one line. */
const CODE = /```[^`]*(?:`{1,2}(?!`)[^`]*)*(?:```|$)|`[^`\n]{1,400}`/g
/** A reply with no more than this before a fence that ends it says its call in the fence. */
const LEAD = 200
/** Formats that put the arguments of a call in a fence: DeepSeek V3, Command R+. */
const OF_CALL = /<｜tool▁sep｜>[^\n<]{0,80}\n?$|(?:^|\n)Action:\s{0,4}$/

/**
 * The text with blanks where it shows code: an answer that explains how calls are written is none. A fence in which the
 * reply ends, with little before it, stays: models that are asked for a call put it in one. Linear; offsets stay.
 */
export function outsideCode(text: string): string {
  if (!text.includes('`')) return text
  return text.replaceAll(CODE, (code, at: number) => {
    if (OF_CALL.test(text.slice(Math.max(0, at - LEAD), at))) return code
    const isReply =
      code.startsWith('```') && text.slice(at + code.length).trim() === '' && text.slice(0, at).trim().length <= LEAD
    return isReply ? code : ' '.repeat(code.length)
  })
}

const OPEN = '<think>'
const CLOSE = '</think>'

/** A reply with its thinking apart: what is thought is neither said nor called. */
export interface SplitThought {
  readonly thought: string
  /** Everything else. */
  readonly visible: string
  readonly isUnclosed: boolean
}

/** Splits at the last `</think>`, as the reference does; an unclosed `<think>` takes all that follows. */
export function splitThought(text: string): SplitThought {
  const close = text.lastIndexOf(CLOSE)
  const rest = close < 0 ? text : text.slice(close + CLOSE.length)
  const thought = close < 0 ? '' : text.slice(0, close).replaceAll(OPEN, () => '')
  const open = rest.indexOf(OPEN)
  if (open < 0) return { thought, visible: rest, isUnclosed: false }
  return { thought: thought + rest.slice(open + OPEN.length), visible: rest.slice(0, open), isUnclosed: true }
}
