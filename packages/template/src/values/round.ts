import { Raise } from '@callspec/python'

/** Python's `round(int, digits)`: to tens, hundreds and so on for negative digits, halves to the even neighbour. */
export function roundInt(value: bigint, digits: number): bigint {
  if (digits >= 0) return value
  if (-digits > 4300) return 0n
  const unit = 10n ** BigInt(-digits)
  const rest = ((value % unit) + unit) % unit
  const low = value - rest
  if (rest * 2n < unit) return low
  if (rest * 2n > unit) return low + unit
  return (low / unit) % 2n === 0n ? low : low + unit
}

/** Python's `round(float, digits)`, which gives an int where no digits are asked for. */
export function roundFloat(value: number, digits: number | null): bigint | number {
  if (digits === null) return wholeNumber(value)
  if (!Number.isFinite(value) || value === 0 || digits > 323) return value
  if (digits < -308) return value < 0 ? -0 : 0
  const result = Number(fixedText(value, digits))
  if (!Number.isFinite(result)) throw new Raise('OverflowError', 'rounded value too large to represent')
  return result
}

function wholeNumber(value: number): bigint {
  if (Number.isNaN(value)) throw new Raise('ValueError', 'cannot convert float NaN to integer')
  if (!Number.isFinite(value)) throw new Raise('OverflowError', 'cannot convert float infinity to integer')
  return BigInt(fixedText(value, 0))
}

/** The float with this many decimals, exactly: halves, which binary fractions can be, go to the even digit. */
export function fixedText(value: number, digits: number): string {
  const { sign, top, bottom } = fraction(value)
  const [scaledTop, scaledBottom] =
    digits >= 0 ? [top * 10n ** BigInt(digits), bottom] : [top, bottom * 10n ** BigInt(-digits)]
  const floor = scaledTop / scaledBottom
  const twice = (scaledTop - floor * scaledBottom) * 2n
  const isUp = twice > scaledBottom || (twice === scaledBottom && floor % 2n === 1n)
  const whole = isUp ? floor + 1n : floor
  if (digits <= 0) return `${sign}${whole * 10n ** BigInt(-digits)}`
  const text = whole.toString().padStart(digits + 1, '0')
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** A finite float as a fraction of ints. */
function fraction(value: number): { readonly sign: string; readonly top: bigint; readonly bottom: bigint } {
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  let top = Math.abs(value)
  let shift = 0n
  while (!Number.isInteger(top)) {
    top *= 2
    shift++
  }
  return { sign, top: BigInt(top), bottom: 1n << shift }
}
