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
