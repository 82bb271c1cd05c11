import { fixedText } from './round.ts'

/** A finite float with this many decimals, as C's `%f`. */
export function fixed(value: number, decimals: number): string {
  return fixedText(value, decimals)
}

/** A finite float with one digit before the point and this many behind, as C's `%e`: `1.50e+03`. */
export function exponential(value: number, decimals: number): string {
  const { sign, digits, exponent } = decimal(value, decimals + 1)
  const mantissa = decimals === 0 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${size}`
}

/** How `general` writes. */
export interface GeneralRules {
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
