/** A number with its noun: `1 task`, `0 tasks`, `2 replies` where `many` says how the noun changes. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}

/** Control characters except line feed and tab, characters without a width, changes of reading direction, tags, lone surrogates. */
const HIDDEN_CHARACTERS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** Model text in which characters that are invisible, change the reading direction or are not valid UTF-8 are written as `\uXXXX`. */
export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN_CHARACTERS, (hidden) => {
    const point = hidden.codePointAt(0) ?? 0
    return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`
  })
}
