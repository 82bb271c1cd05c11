/** The tokenizer of the simulated models, `sim-tok-1`: one per Chinese character, one per four UTF-8 bytes of the rest, rounded up. */
export function countTokens(text: string): number {
  // Most prompts are ASCII, and every reply counts one.
  if (Buffer.byteLength(text) === text.length) return Math.ceil(text.length / 4)
  return measure(text, Number.POSITIVE_INFINITY).tokens
}

/** The longest beginning of a text that has at most `limit` tokens. Whole code points. */
export function firstTokens(text: string, limit: number): string {
  return text.slice(0, measure(text, limit).end)
}

/** One pass over the text, or as much of it as the limit allows. */
function measure(text: string, limit: number): { readonly tokens: number; readonly end: number } {
  let [chinese, bytes, at] = [0, 0, 0]
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    const isPair = unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(at + 1))
    const isChinese = (unit >= 0x4e00 && unit <= 0x9fff) || (unit >= 0x3400 && unit <= 0x4dbf)
    const size = unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPair ? 4 : 3
    const nextChinese = isChinese ? chinese + 1 : chinese
    const nextBytes = isChinese ? bytes : bytes + size
    if (nextChinese + Math.ceil(nextBytes / 4) > limit) break
    chinese = nextChinese
    bytes = nextBytes
    at += isPair ? 2 : 1
  }
  return { tokens: chinese + Math.ceil(bytes / 4), end: at }
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
