/**
 * Chance without a generator: every draw is a function of what it is for, so the order of requests, their number at a
 * time and a retry change nothing.
 */
export function draw(...key: readonly (string | number)[]): number {
  return mulberry32(fnv1a32(key.join('\u001f')))()
}

/** FNV-1a, 32 bits, over the UTF-8 bytes of a text. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** Numbers from 0 (with) to 1 (without), the same ones for the same seed. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
