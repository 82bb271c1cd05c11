import { type Expression, GrammarError, characters, choice, literal, optional, repeat, sequence } from './expression.ts'

const DIGIT = characters([0x30, 0x39])
const NONZERO = characters([0x31, 0x39])
const SCALE = 6

/** `0`, or digits without a leading zero, with an optional minus that zero cannot have. */
export const INTEGER: Expression = choice(
  literal('0'),
  sequence(optional(literal('-')), NONZERO, repeat(DIGIT, 0, null)),
)

/** A number of JSON. */
export const NUMBER: Expression = sequence(
  optional(literal('-')),
  choice(literal('0'), sequence(NONZERO, repeat(DIGIT, 0, null))),
  optional(sequence(literal('.'), repeat(DIGIT, 1, null))),
  optional(sequence(characters('eE'), optional(characters('+-')), repeat(DIGIT, 1, null))),
)

type Bounds = {
  readonly min: number | null
  readonly max: number | null
  readonly openMin: boolean
  readonly openMax: boolean
}

/**
 * The texts of `integer` within the bounds of a schema, or the multiples it asks for (XGrammar takes no multiples with bounds).
 * Throws `GrammarError` for bounds that no integer fits, and for bounds that are not whole.
 */
export function integerOf(schema: Readonly<Record<string, unknown>>, addRule: AddRule): Expression {
  const bounds = boundsOf(schema)
  if (!bounds) {
    const divisor = schema['multipleOf']
    return typeof divisor === 'number' && Number.isInteger(divisor) && divisor > 0
      ? multiplesOf(divisor, addRule)
      : INTEGER
  }
  for (const bound of [bounds.min, bounds.max])
    if (bound !== null && !Number.isInteger(bound))
      throw new GrammarError(`The bound ${bound} of an integer is not whole.`)
  const min = bounds.min === null ? null : BigInt(bounds.min) + (bounds.openMin ? 1n : 0n)
  const max = bounds.max === null ? null : BigInt(bounds.max) - (bounds.openMax ? 1n : 0n)
  if (min !== null && max !== null && min > max) throw new GrammarError(`No integer is between ${min} and ${max}.`)
  const parts: Expression[] = []
  if (min === null || min < 0n)
    parts.push(sequence(literal('-'), wholeBetween(max !== null && max < 0n ? -max : 1n, min === null ? null : -min)))
  if (max === null || max >= 0n) parts.push(wholeBetween(min !== null && min > 0n ? min : 0n, max))
  return choice(...parts)
}

/** Adds a rule under a fresh name and returns a reference; the body may be set later through `set`. */
export type AddRule = (hint: string) => { readonly reference: Expression; readonly set: (body: Expression) => void }

function boundsOf(schema: Readonly<Record<string, unknown>>): Bounds | null {
  const number = (key: string): number | null => {
    const value = schema[key]
    return typeof value === 'number' && Number.isFinite(value) ? value : null
  }
  const [least, most] = [number('minimum'), number('maximum')]
  const [above, below] = [number('exclusiveMinimum'), number('exclusiveMaximum')]
  const openMin = above !== null && (least === null || above >= least)
  const openMax = below !== null && (most === null || below <= most)
  const min = openMin ? above : least
  const max = openMax ? below : most
  return min === null && max === null ? null : { min, max, openMin, openMax }
}

/** Whole numbers without a sign or leading zeros, from `min` to `max` (null: no limit). */
function wholeBetween(min: bigint, max: bigint | null): Expression {
  const parts: Expression[] = []
  const low = min.toString()
  const longest = max?.toString().length ?? low.length
  for (let length = low.length; length <= longest; length += 1) {
    const first = length === low.length ? low : `1${'0'.repeat(length - 1)}`
    const last = max !== null && length === longest ? max.toString() : '9'.repeat(length)
    parts.push(digitsBetween(first, last))
  }
  if (max === null) parts.push(sequence(NONZERO, repeat(DIGIT, longest, null)))
  return choice(...parts)
}

/** Digit strings of one length between two of them. */
function digitsBetween(first: string, last: string): Expression {
  if (first === last) return literal(first)
  const [low, high] = [Number(first[0]), Number(last[0])]
  const rest = first.length - 1
  if (rest === 0) return digitRange(low, high)
  if (low === high) return sequence(literal(String(low)), digitsBetween(first.slice(1), last.slice(1)))
  const parts = [
    sequence(literal(String(low)), digitsBetween(first.slice(1), '9'.repeat(rest))),
    sequence(literal(String(high)), digitsBetween('0'.repeat(rest), last.slice(1))),
  ]
  if (high - low > 1) parts.push(sequence(digitRange(low + 1, high - 1), repeat(DIGIT, rest, rest)))
  return choice(...parts)
}

function digitRange(first: number, last: number): Expression {
  return characters([0x30 + first, 0x30 + last])
}

/**
 * The texts of `number` within the bounds of a schema. As in XGrammar a bounded number has at most six decimals and no exponent, and
 * zero may have a minus only with a point, where negative numbers are allowed.
 */
export function numberOf(schema: Readonly<Record<string, unknown>>): Expression {
  const bounds = boundsOf(schema)
  if (!bounds) return NUMBER
  const { min, max, openMin, openMax } = bounds
  if (min !== null && max !== null && (min > max || (min === max && (openMin || openMax))))
    throw new GrammarError(`No number is between ${min} and ${max}.`)
  const parts: Expression[] = []
  const low = min === null ? null : scaled(min, openMin, 'up')
  const high = max === null ? null : scaled(max, openMax, 'down')
  if (low === null || low < 0n)
    parts.push(
      sequence(literal('-'), decimalsBetween(high !== null && high < 0n ? -high : 1n, low === null ? null : -low)),
    )
  if ((min === null || min < 0) && (high === null || high >= 0n))
    parts.push(sequence(literal('-0.'), repeat(literal('0'), 1, SCALE)))
  if (high === null || high >= 0n) parts.push(decimalsBetween(low !== null && low > 0n ? low : 0n, high))
  return choice(...parts)
}

// A bound in millionths. A bound with more decimals is moved inwards.
function scaled(bound: number, isOpen: boolean, direction: 'up' | 'down'): bigint {
  const inMillionths = bound * 10 ** SCALE
  const nearest = Math.round(inMillionths)
  const isExact = Math.abs(inMillionths - nearest) < 1e-6 * Math.max(1, Math.abs(bound))
  const whole = isExact ? nearest : direction === 'up' ? Math.ceil(inMillionths) : Math.floor(inMillionths)
  const inward = isOpen && isExact ? 1n : 0n
  return direction === 'up' ? BigInt(whole) + inward : BigInt(whole) - inward
}

/** Decimals with at most six places, given in millionths; `min` and `max` are not negative. */
function decimalsBetween(min: bigint, max: bigint | null): Expression {
  const unit = BigInt(10 ** SCALE)
  const [low, lowRest] = [min / unit, min % unit]
  const pad = (rest: bigint): string => rest.toString().padStart(SCALE, '0')
  const nines = '9'.repeat(SCALE)
  if (max !== null && max / unit === low)
    return sequence(literal(low.toString()), fraction(pad(lowRest), pad(max % unit)))
  const parts = [sequence(literal(low.toString()), fraction(pad(lowRest), nines))]
  const anyFraction = fraction('0'.repeat(SCALE), nines)
  if (max === null) return choice(...parts, sequence(wholeBetween(low + 1n, null), anyFraction))
  const high = max / unit
  if (high - low > 1n) parts.push(sequence(wholeBetween(low + 1n, high - 1n), anyFraction))
  parts.push(sequence(literal(high.toString()), fraction('0'.repeat(SCALE), pad(max % unit))))
  return choice(...parts)
}

// A point and digits, which may be left out where zeros are within the bounds; both bounds are six digits.
function fraction(low: string, high: string): Expression {
  const digits = decimalDigits(low, high)
  const withPoint = sequence(literal('.'), digits)
  return Number(low) === 0 ? optional(withPoint) : withPoint
}

function decimalDigits(low: string, high: string): Expression {
  const [first, last] = [Number(low[0]), Number(high[0])]
  if (low.length === 1) return digitRange(first, last)
  const parts: Expression[] = []
  const after = (digit: Expression, lowRest: string, highRest: string): Expression => {
    const more = decimalDigits(lowRest, highRest)
    return sequence(digit, Number(lowRest) === 0 ? optional(more) : more)
  }
  const rest = low.length - 1
  const zeros = '0'.repeat(rest)
  const nines = '9'.repeat(rest)
  if (first === last) return after(digitRange(first, first), low.slice(1), high.slice(1))
  parts.push(after(digitRange(first, first), low.slice(1), nines))
  if (last - first > 1) parts.push(sequence(digitRange(first + 1, last - 1), repeat(DIGIT, 0, rest)))
  parts.push(after(digitRange(last, last), zeros, high.slice(1)))
  return choice(...parts)
}

// The remainder while digits are read: one rule per remainder.
function multiplesOf(divisor: number, addRule: AddRule): Expression {
  if (divisor > 1000) throw new GrammarError(`multipleOf ${divisor} is above 1000, the largest that is supported.`)
  const rules = Array.from({ length: divisor }, (_, remainder) => addRule(`multiple-${divisor}-${remainder}`))
  const step = (remainder: number, digit: number): Expression =>
    sequence(literal(String(digit)), rules[(remainder * 10 + digit) % divisor]?.reference ?? literal(''))
  rules.forEach((one, remainder) => {
    const next = Array.from({ length: 10 }, (_, digit) => step(remainder, digit))
    one.set(choice(...(remainder === 0 ? [literal('')] : []), ...next))
  })
  const beginnings = Array.from({ length: 9 }, (_, digit) => step(0, digit + 1))
  return choice(literal('0'), sequence(optional(literal('-')), choice(...beginnings)))
}
