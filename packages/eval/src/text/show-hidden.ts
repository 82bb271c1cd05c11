/** Controls except line feed and tab, characters without a width, changes of reading direction, tags, lone surrogates. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** Model text with everything that hides, moves or cannot be written as UTF-8 spelled out as `\uXXXX`. */
export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) => {
    const point = hidden.codePointAt(0) ?? 0
    return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`
  })
}
