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

/** Wide in every terminal: Hangul Jamo, CJK, kana, Hangul syllables, full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const ZERO_WIDTH = /\p{Mn}|\p{Me}|[\u200b-\u200d\ufe00-\ufe0f]/u

/** How many columns a terminal gives to one line of `inert` text. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) {
    if (!ZERO_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1
  }
  return width
}

/** The text cut to `columns` columns, with `…` in place of its middle: names and paths often differ at their ends. */
export function fitColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  const characters = [...text]
  const head = prefixOf(characters, Math.ceil((columns - 1) / 2))
  const tail = prefixOf(characters.toReversed(), columns - 1 - displayWidth(head.join('')))
  return `${head.join('')}…${tail.toReversed().join('')}`
}

/** As many characters as fit. */
function prefixOf(characters: readonly string[], columns: number): readonly string[] {
  let width = 0
  const end = characters.findIndex((character) => (width += displayWidth(character)) > columns)
  return characters.slice(0, Math.max(0, end))
}
