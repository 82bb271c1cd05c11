import type { CodePointRange } from './expression.ts'

/** Ranges of bytes, one after the other: together one code point. */
export type ByteRanges = readonly (readonly [first: number, last: number])[]

/**
 * The bytes of a text in UTF-8. Half of a surrogate pair becomes its own three bytes, so that no two texts have the same bytes;
 * `TextEncoder` would turn it into U+FFFD.
 */
export function encodeText(text: string): Uint8Array {
  if (!/[\ud800-\udfff]/u.test(text)) return new TextEncoder().encode(text)
  const bytes: number[] = []
  for (const char of text) for (const byte of encodeCodePoint(char.codePointAt(0) ?? 0)) bytes.push(byte)
  return Uint8Array.from(bytes)
}

/** The bytes of one code point, surrogates included. */
export function encodeCodePoint(code: number): readonly number[] {
  if (code < 0x80) return [code]
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 63)]
  if (code < 0x10000) return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
}

/** Whether a byte goes on with a code point that an earlier byte began. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

const LENGTHS: readonly CodePointRange[] = [
  [0, 0x7f],
  [0x80, 0x7ff],
  [0x800, 0xffff],
  [0x10000, 0x10ffff],
]

/** The sequences of bytes that are the code points of a range; at most a handful for any range. */
export function byteRanges([first, last]: CodePointRange): readonly ByteRanges[] {
  const all: ByteRanges[] = []
  for (const [least, most] of LENGTHS) {
    const from = Math.max(first, least)
    const to = Math.min(last, most)
    if (from <= to) splitRange(encodeCodePoint(from), encodeCodePoint(to), all, [])
  }
  return all
}

// Both have the same length. Where the first bytes differ, the range falls into a beginning, whole blocks of 64ⁿ, and an end.
function splitRange(from: readonly number[], to: readonly number[], all: ByteRanges[], before: ByteRanges): void {
  const [low, ...lowRest] = from
  const [high, ...highRest] = to
  if (low === undefined || high === undefined) {
    all.push(before)
    return
  }
  if (low === high) {
    splitRange(lowRest, highRest, all, [...before, [low, high]])
    return
  }
  const startsBlock = lowRest.every((byte) => byte === 0x80)
  const endsBlock = highRest.every((byte) => byte === 0xbf)
  if (!startsBlock)
    splitRange(
      lowRest,
      lowRest.map(() => 0xbf),
      all,
      [...before, [low, low]],
    )
  const firstWhole = startsBlock ? low : low + 1
  const lastWhole = endsBlock ? high : high - 1
  if (firstWhole <= lastWhole)
    all.push([...before, [firstWhole, lastWhole], ...lowRest.map(() => [0x80, 0xbf] as const)])
  if (!endsBlock)
    splitRange(
      highRest.map(() => 0x80),
      highRest,
      all,
      [...before, [high, high]],
    )
}
