/** With these a model ends its turn; a server takes them off. */
export const END_MARKS: readonly string[] = [
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<｜end▁of▁sentence｜>',
]

/** The text without the end marks behind it, however many; the text itself where there are none. */
export function withoutEndMarks(text: string): string {
  let body = text
  for (;;) {
    const trimmed = body.trimEnd()
    const mark = END_MARKS.find((each) => trimmed.endsWith(each))
    if (mark === undefined) return body
    body = trimmed.slice(0, -mark.length)
  }
}
