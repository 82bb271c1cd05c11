import { fromPlain, dumps } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import fc from 'fast-check'

import { anyCharacters, WORDS } from './words.ts'

/** Texts of values: words, everything that JSON escapes, and texts that look like numbers. */
// prettier-ignore
const TEXTS = [
  ...WORDS, '', '}', '{', '{}[]', ']"', '\\', '\\"', '"', '\n', '\t', '\u0000', '\u001f', '\u007f', '\u00a0', "it's", '//', '/*', '</', '#',
  '007', '1', '1.0', 'null', 'true', 'UTC', 'Europe/Oslo', 'a: b', 'line\r\nline', 'a\u2028b', '$&', '\\u0041', '0x1F', '"quoted"', 'C:\\new', 'a &lt; b &amp; c', '```js\nx```',
]

/** What some readers take for a number. */
export const NEAR_NUMBERS: readonly string[] = ['1_000', '0x1F', '1e', '1,000', '\u0661\u0662', '1.2.3']

const KEYS = [
  'zone',
  'city',
  'n',
  'text',
  'code',
  'name',
  'arguments',
  'a b',
  '城市',
  '',
  '1',
  '0',
  '__proto__',
  'constructor',
  '"',
  '😀',
]

/** The numbers that are read wrongly most often, and any. */
const INTS = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, 7n, 9_007_199_254_740_993n, -9_007_199_254_740_993n, 12_345_678_901_234_567_890n),
  fc.integer().map(BigInt),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
)
const FLOATS = fc.oneof(
  fc.constantFrom(1, -0, 0.1, 1e16, 1e-7, 1.5, 123_456.789, 5e-324, 1.797_693_134_862_315_7e308),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

/** Texts of arguments: mostly from the list above, sometimes any characters but unpaired surrogates. */
const VALUE_TEXTS = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: anyCharacters({ maxLength: 8, surrogates: false }) },
)

/**
 * JSON values as Python has them: integers of any size apart from floats, maps in the order of their keys. Without the
 * values that JSON has not, and at most `depth` deep.
 */
export function jsonValue(depth = 2): fc.Arbitrary<PyValue> {
  const leaf: fc.Arbitrary<PyValue> = fc.oneof(
    { weight: 4, arbitrary: VALUE_TEXTS },
    { weight: 2, arbitrary: INTS },
    { weight: 1, arbitrary: FLOATS },
    { weight: 1, arbitrary: fc.constantFrom<PyValue>(true, false, null) },
  )
  if (depth === 0) return leaf
  const inner = jsonValue(depth - 1)
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(inner, { maxLength: 3 }) },
    { weight: 1, arbitrary: jsonDict(inner) },
  )
}

/** Maps with at most three members. */
function jsonDict(member: fc.Arbitrary<PyValue>): fc.Arbitrary<PyValue> {
  return fc.array(fc.tuple(fc.constantFrom(...KEYS), member), { maxLength: 3 }).map((members) => new Map(members))
}

/** The arguments of a call: the text of a map, in Python's spelling. */
export function callArguments(depth = 2): fc.Arbitrary<string> {
  return jsonDict(jsonValue(depth)).map((value) => dumps(value))
}

/** The same where every value is a text. */
export function textArguments(): fc.Arbitrary<string> {
  return jsonDict(VALUE_TEXTS).map((value) => dumps(value))
}

/** The same with values of every type, texts that look like numbers and are none among them. */
export function typedArguments(): fc.Arbitrary<string> {
  const inner = jsonValue(0)
  const value: fc.Arbitrary<PyValue> = fc.oneof(
    { weight: 2, arbitrary: VALUE_TEXTS },
    { weight: 1, arbitrary: fc.constantFrom(...NEAR_NUMBERS) },
    { weight: 2, arbitrary: INTS },
    { weight: 2, arbitrary: FLOATS },
    { weight: 2, arbitrary: fc.constantFrom<PyValue>(true, false, null) },
    { weight: 1, arbitrary: fc.array(inner, { maxLength: 3 }) },
    { weight: 1, arbitrary: jsonDict(inner) },
  )
  return jsonDict(value).map((drawn) => dumps(drawn))
}

/** JSON schemas of parameters: objects with typed, required, enumerated and nested properties. */
export function parameterSchema(): fc.Arbitrary<PyValue> {
  const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object')
  const property = fc.record(
    { type, description: fc.constantFrom(...WORDS), enum: fc.array(fc.constantFrom(...TEXTS), { maxLength: 3 }) },
    { requiredKeys: ['type'] },
  )
  return fc.array(fc.tuple(fc.constantFrom(...KEYS), property), { maxLength: 4 }).map((members) => {
    const properties = Object.fromEntries(members)
    const required = Object.keys(properties).filter((_, index) => index % 2 === 0)
    return fromPlain({ type: 'object', properties, required })
  })
}
