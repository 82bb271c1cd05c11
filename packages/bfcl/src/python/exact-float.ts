/**
 * The float nearest to a fraction, as Python divides ints.
 *
 * @param below not zero
 */
export function nearestFloat(above: bigint, below: bigint): number {
  if (above === 0n) return 0
  // 66 bits of the quotient are enough to round by, if the last one says whether there are more.
  const shift = 66 - (bitsOf(above) - bitsOf(below))
  const [p, q] = shift > 0 ? [above << BigInt(shift), below] : [above, below << BigInt(-shift)]
  const quotient = Number(p % q === 0n ? p / q : (p / q) | 1n)
  const half = Math.trunc(shift / 2)
  return (quotient * 2 ** -half) * 2 ** (half - shift) // prettier-ignore
}

/** A power with a whole exponent, rounded once as C's `pow` nearly does it; JavaScript's `**` is off in the last digit. */
export function floatPower(base: number, exponent: number): number {
  if (!Number.isInteger(exponent) || !Number.isFinite(base) || base === 0) return base ** exponent
  const [whole, places] = asFraction(base)
  if ((bitsOf(whole) + places) * Math.abs(exponent) > MAX_BITS) return base ** exponent
  const times = BigInt(Math.abs(exponent))
  const [above, below] = [whole ** times, 2n ** (BigInt(places) * times)]
  return exponent < 0 ? nearestFloat(below, above) : nearestFloat(above, below)
}

/** More than any sensible result takes, and little enough to be quick. */
const MAX_BITS = 30_000

/** A float as a whole number over a power of two. */
function asFraction(value: number): readonly [bigint, number] {
  let places = 0
  let whole = value
  while (!Number.isInteger(whole)) {
    whole *= 2
    places += 1
  }
  return [BigInt(whole), places]
}

/** Of an int without its sign, give or take one. */
function bitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString(16).length * 4
}
