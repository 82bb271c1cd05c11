import * as fc from 'fast-check'

/** Texts of any UTF-16 units up to 20, lone surrogates included. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', ' ', '\n', '你', '✿', '😀'),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
    {
      maxLength: 20,
    },
  )
  .map((units) => units.join(''))
