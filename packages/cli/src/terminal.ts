/**
 * Text of models and harnesses on its way to a terminal: nothing in it may move the cursor, colour the screen, reverse
 * the reading direction or hide.
 */

// Controls except line feed and tab, DEL and C1; soft hyphen; bidi marks, embeddings, overrides and isolates;
// zero-width space, word joiner and friends; line and paragraph separator; byte order mark; interlinear marks; tags.
// U+200C and U+200D stay: scripts and emoji need them.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** The text with every control, invisible and direction-changing character and lone surrogate written as `\uXXXX`. */
export function inert(text: string): string {
  return text.replace(HIDDEN, escaped)
}

/** `inert` on one line, with white space made visible: `␣` for a space, `⇥` for a tab, `⏎` for a line break. */
export function visibleWhiteSpace(text: string): string {
  return inert(text)
    .replace(/ /g, () => '␣')
    .replace(/\t/g, () => '⇥')
    .replace(/\n/g, () => '⏎')
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, escaped)
}

/** `inert` on one line (`\n`, `\t` written out), cut to `limit` characters with `…` in place of the rest. */
export function quoted(text: string, limit = 60): string {
  const characters = [...text.slice(0, limit * 2 + 2)]
  const cut = characters.length > limit || text.length > limit * 2 + 2
  const kept = cut ? [...characters.slice(0, limit - 1), '…'].join('') : characters.join('')
  return inert(kept)
    .replace(/\n/g, () => '\\n')
    .replace(/\t/g, () => '\\t')
}

/** JSON text as UTF-8 can carry it: lone surrogates, which only occur in its strings, become `\udXXX` escapes. */
export function escapeLoneSurrogates(json: string): string {
  return json.replace(/\p{Surrogate}/gu, escaped)
}

function escaped(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`
}
