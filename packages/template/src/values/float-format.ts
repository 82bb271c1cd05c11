import { Raise } from '@callspec/python'

/** A finite float with this many decimals, as C's `%f`. */
export function fixed(value: number, decimals: number): string {
  return fixedText(value, decimals)
}

/** A finite float with one digit before the point and this many after it, as C's `%e`: `1.50e+03`. */
export function exponential(value: number, decimals: number): string {
  const { sign, digits, exponent } = decimal(value, decimals + 1)
  const mantissa = decimals === 0 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${size}`
}

/** How `general` writes. */
interface GeneralRules {
  /** Significant digits. */
  readonly precision: number
  /** Whether zeros at the end stay, as with `#`. */
  readonly keepsZeros: boolean
  /** Whether a whole number below the exponent form gets `.0`, as `str` writes it. */
  readonly marksWhole?: boolean
}

/** A finite float with this many digits in the shorter form, as C's `%g`. */
export function general(value: number, { precision, keepsZeros, marksWhole = false }: GeneralRules): string {
  const digits = Math.max(1, precision)
  const { exponent } = decimal(value, digits)
  // `str` leaves one digit more for the `.0`.
  if (exponent < -4 || exponent >= (marksWhole ? Math.max(digits - 1, 1) : digits)) {
    const [mantissa = '', power = ''] = exponential(value, digits - 1).split('e')
    return `${keepsZeros ? mantissa : withoutZeros(mantissa)}e${power}`
  }
  const text = fixed(value, digits - 1 - exponent)
  const short = keepsZeros ? text : withoutZeros(text)
  return marksWhole && !short.includes('.') ? `${short}.0` : short
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, () => '') : text
}

interface Decimal {
  readonly sign: string
  /** As many as were asked for. */
  readonly digits: string
  /** Of the first digit. */
  readonly exponent: number
}

/** Rounds exactly: halves, which a binary fraction can be, go to the even digit. */
function decimal(value: number, count: number): Decimal {
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (value === 0) return { sign, digits: '0'.repeat(count), exponent: 0 }
  const guess = Number(Math.abs(value).toExponential().split('e')[1])
  const digits = fixedText(Math.abs(value), count - 1 - guess)
    .replace('.', () => '')
    .replace(/^0+/, () => '')
  // 9.99 rounded to two digits is 10.
  if (count - 1 - guess > 0 ? digits.length > count : digits.length - (guess + 1 - count) > count) {
    return { sign, digits: digits.slice(0, count), exponent: guess + 1 }
  }
  return { sign, digits: digits.slice(0, count), exponent: guess }
}

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

/** Python's `round(float, digits)`, which returns an int without `digits`. */
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
function fixedText(value: number, digits: number): string {
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
