import * as fc from 'fast-check'
import type { PyValue } from '../src/value.ts'

/** Any UTF-16 text, lone surrogates included, dense in what readers of JSON care about. Up to about 100 units. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...'"\'\\{}[]:,/*+-.0x1e \n\t\r') },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '"a": ',
          '\\u',
          'd83d',
          '\\ud83d',
          'true',
          'null',
          'NaN',
          'Infinity',
          '{{',
          '%41',
          'http://',
        ),
      },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''))

/** Any value that JSON can carry: ints beyond 2^53, floats of every kind but NaN, integer-like keys, `__proto__`. */
export const anyValue: fc.Arbitrary<PyValue> = fc.letrec<{ value: PyValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0n, 1n, 1, -0, 0.1, 1e16, 5e-324, Infinity, -Infinity),
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    fc.double({ noNaN: true }),
    anyText,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom('2', '1', '__proto__', ''), anyText), tie('value')), { maxLength: 4 })
      .map((members) => new Map(members)),
  ),
})).value
