/**
 * Whether a CJK Unified Ideograph (U+4E00 to U+9FFF, nothing else) occurs in the text (spec §2.7). Kana, Hangul,
 * full-width punctuation and the extension blocks do not count, as in the reference.
 */
export function hasChinese(text: string): boolean {
  return /[\u4e00-\u9fff]/.test(text)
}
