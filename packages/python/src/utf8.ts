/**
 * Text of UTF-8 bytes, malformed sequences replaced by U+FFFD as Python's `errors='replace'` does: one for every
 * maximal part that could have begun a character. Written out because `TextDecoder` is not part of ECMAScript.
 */
export function decodeUtf8(bytes: readonly number[]): string {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] ?? 0
    const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
    const got = validLength(bytes, at, length)
    text += got === length && length > 0 ? String.fromCodePoint(codePoint(bytes, at, length)) : '\ufffd'
    at += Math.max(got, 1)
  }
  return text
}

/** How many of the `length` bytes of a character that begins at `at` fit; the second one has a range of its own. */
function validLength(bytes: readonly number[], at: number, length: number): number {
  let got = Math.min(length, 1)
  while (got < length) {
    const byte = bytes[at + got] ?? 0
    const [low, high] = got === 1 ? secondByteRange(bytes[at] ?? 0) : [0x80, 0xbf]
    if (byte < low || byte > high) return got
    got++
  }
  return got
}

/** No overlong forms (E0, F0), no surrogates (ED), nothing above U+10FFFF (F4). */
function secondByteRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf]
  if (lead === 0xed) return [0x80, 0x9f]
  if (lead === 0xf0) return [0x90, 0xbf]
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf]
}

function codePoint(bytes: readonly number[], at: number, length: number): number {
  let code = length === 1 ? (bytes[at] ?? 0) : (bytes[at] ?? 0) & (0x7f >> length)
  for (let i = 1; i < length; i++) code = (code << 6) | ((bytes[at + i] ?? 0) & 0x3f)
  return code
}
