import { Raise } from '@callspec/python'
import { numberOf } from '../values/number-of.ts'
import { define } from '../values/signature.ts'
import type { PythonFunction, Value } from '../values/value.ts'
import { tuple } from '../values/value.ts'

/** The methods of `int` by name. */
export const INT_METHODS: Readonly<Record<string, PythonFunction>> = {
  conjugate: define('int.conjugate(self, /)', (_, self) => numberOf(self)),
  bit_length: define('int.bit_length(self, /)', (_, self) => BigInt(bits(self).length)),
  bit_count: define('int.bit_count(self, /)', (_, self) => BigInt(bits(self).replaceAll('0', '').length)),
  as_integer_ratio: define('int.as_integer_ratio(self, /)', (_, self) => tuple(numberOf(self), 1n)),
}

/** The methods of `float` by name. */
export const FLOAT_METHODS: Readonly<Record<string, PythonFunction>> = {
  conjugate: define('float.conjugate(self, /)', (_, self) => self),
  is_integer: define('float.is_integer(self, /)', (_, self) => Number.isInteger(self)),
  as_integer_ratio: define('float.as_integer_ratio(self, /)', (_, self) => ratio(Number(self))),
}

/** An attribute of a number that is no method, or `undefined`. */
export function numberAttribute(number: bigint | number, name: string): Value | undefined {
  if (name === 'real') return number
  if (name === 'imag') return typeof number === 'bigint' ? 0n : 0
  if (typeof number !== 'bigint') return undefined
  if (name === 'numerator') return number
  return name === 'denominator' ? 1n : undefined
}

/** The binary digits without a sign; none for 0. */
function bits(self: Value): string {
  const value = numberOf(self)
  const size = typeof value === 'bigint' ? (value < 0n ? -value : value) : 0n
  return size === 0n ? '' : size.toString(2)
}

function ratio(value: number): Value {
  if (!Number.isFinite(value)) {
    const [type, what] = Number.isNaN(value) ? ['ValueError', 'NaN'] : ['OverflowError', 'Infinity']
    throw new Raise(type ?? '', `cannot convert ${what} to integer ratio`)
  }
  let top = value
  let bottom = 1n
  while (!Number.isInteger(top)) {
    top *= 2
    bottom *= 2n
  }
  return tuple(BigInt(top), bottom)
}
