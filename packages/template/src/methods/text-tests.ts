import { isBlank, isPrintable } from '@callspec/python'

/** The methods of a text that answer yes or no, by name. */
export const TEXT_TESTS: Readonly<Record<string, (text: string) => boolean>> = {
  isalnum: (text) => /^[\p{L}\p{N}]+$/u.test(text),
  isalpha: (text) => /^\p{L}+$/u.test(text),
  isascii: (text) => /^[\0-\x7f]*$/.test(text),
  isdecimal: (text) => /^\p{Nd}+$/u.test(text),
  isdigit,
  isidentifier: (text) => /^[\p{XIDS}_]\p{XIDC}*$/u.test(text),
  islower: (text) => LOWER.test(text) && !UPPER.test(text),
  isnumeric: (text) => /^[\p{N}一二三四五六七八九十百千万億零〇]+$/u.test(text),
  isprintable: (text) => Array.from(text).every((char) => isPrintable(char.codePointAt(0) ?? 0)),
  isspace: (text) => text !== '' && isBlank(text),
  istitle,
  isupper: (text) => /[\p{Uppercase}]/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text),
}

const LOWER = /[\p{Lowercase}]/u
const UPPER = /[\p{Uppercase}\p{Lt}]/u

/** Whether all characters are digits, superscripts and circled ones included. */
export function isdigit(text: string): boolean {
  return /^[\p{Nd}²³¹⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒]+$/u.test(text)
}

/** Large letters only where no letter stands before, small ones only where one does. */
function istitle(text: string): boolean {
  let found = false
  let follows = false
  for (const char of text) {
    const isLarge = UPPER.test(char)
    const isSmall = LOWER.test(char)
    if ((isLarge && follows) || (isSmall && !follows)) return false
    found ||= isLarge || isSmall
    follows = isLarge || isSmall
  }
  return found
}
