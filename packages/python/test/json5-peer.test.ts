import fc from 'fast-check'
import JSON5 from 'json5'
import { expect, it } from 'vitest'
import { loadsJson5, toPlain } from '../src/index.ts'

// Configurations are written in JSON5 by people who know the package json5; ours differs from it only in keeping numbers as they are.

/** Everything that a JSON5 text can hold, with numbers that both sides hold in the same way. */
const values = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('a', '$_', '变量', 'null', '__proto__')), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value

it('the texts that the package json5 writes are read as what it wrote', () => {
  const spaces = fc.constantFrom('', '  ', '\t')
  const quotes = fc.constantFrom('"', "'")
  fc.assert(
    fc.property(values, spaces, quotes, (value, space, quote) => {
      const text = JSON5.stringify(value, { space, quote })

      expect(toPlain(loadsJson5(text))).toEqual(JSON5.parse(text))
    }),
  )
})

it.each([
  "{ // a comment\n  a: 1, /* and\n another */ 'b': [1, 2,], }",
  '{"line": "one \\\n two"}',
  '[0xC0FFEE, +1, .5, 5., Infinity]',
  '\u{FEFF}{\u00A0a:\u2028"b"}',
])('%j is read alike', (text) => {
  expect(toPlain(loadsJson5(text))).toEqual(JSON5.parse(text))
})
