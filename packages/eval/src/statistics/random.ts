/**
 * A source of numbers in [0, 1) that gives the same ones for the same seed on every machine: xoshiro128** of Blackman and
 * Vigna, its state filled by a multiplicative hash of the seed.
 */
export function randomSource(seed: number): () => number {
  let word = seed | 0
  const fill = (): number => {
    word = (word + 0x9e3779b9) | 0
    let mixed = Math.imul(word ^ (word >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return mixed ^ (mixed >>> 15)
  }
  let [a, b, c, d] = [fill(), fill(), fill(), fill()]
  return () => {
    const product = Math.imul(b, 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return (result >>> 0) / 2 ** 32
  }
}
