/** The tokenizer of the simulated models, `sim-tok-1`: one per Chinese character, one per four UTF-8 bytes of the rest, rounded up. */
export function countTokens(text: string): number {
  const rest = text.replaceAll(CJK, () => '')
  return [...text.matchAll(CJK)].length + Math.ceil(new TextEncoder().encode(rest).length / 4)
}

const CJK = /[\u3400-\u4dbf\u4e00-\u9fff]/g
