import {
  ANY_CHARACTERS,
  type CodePointRange,
  type Expression,
  GrammarError,
  LAST_CODE_POINT,
  characters,
  choice,
  complement,
  literal,
  normalizeRanges,
  otherCharacters,
  repeat,
  sequence,
} from './expression.ts'
import { readRegex } from './regex.ts'

const HEX = characters([0x30, 0x39], [0x41, 0x46], [0x61, 0x66])
export const ESCAPE: Expression = sequence(
  literal('\\'),
  choice(characters('"\\/bfnrt'), sequence(literal('u'), repeat(HEX, 4, 4))),
)
const PLAIN_RANGES: readonly CodePointRange[] = complement(
  normalizeRanges([
    [0, 0x1f],
    [0x22, 0x22],
    [0x5c, 0x5c],
  ]),
)
/** What follows the opening quote of a JSON string: characters, escapes, and the closing quote. */
export const STRING_REST: Expression = sequence(
  repeat(choice({ kind: 'characters', ranges: PLAIN_RANGES }, ESCAPE), 0, null),
  literal('"'),
)
export const STRING: Expression = sequence(literal('"'), STRING_REST)

/** The patterns by which XGrammar checks `format`; a name that is absent is not checked. */
const FORMATS: Readonly<Record<string, string>> = createFormats()

/** The condition of a string schema: a pattern, a format, or bounds on its length; null if any text will do. */
export function stringCondition(
  schema: Readonly<Record<string, unknown>>,
  within: 'json' | 'element',
): Expression | null {
  const format = schema['format']
  const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (known !== undefined) return readRegex(known)
  const pattern = schema['pattern']
  if (typeof pattern === 'string') {
    const read = readRegex(pattern)
    return within === 'json' ? withoutQuotes(read) : read
  }
  const min = schema['minLength']
  const max = schema['maxLength']
  // as in XGrammar: in an element a format that it does not know takes any text, the closing mark included.
  if (min === undefined && max === undefined)
    return within === 'element' && format !== undefined ? ANY_CHARACTERS : null
  const least = lengthOf(min, 'minLength') ?? 0
  const most = lengthOf(max, 'maxLength')
  if (most !== null && least > most) throw new GrammarError(`minLength ${least} is above maxLength ${most}.`)
  if (least === 0 && most === null) return null
  return repeat(within === 'json' ? otherCharacters('"\\\r\n') : characters([0, LAST_CODE_POINT]), least, most)
}

function lengthOf(value: unknown, key: string): number | null {
  if (value === undefined) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new GrammarError(`${key} must be a whole number that is not negative.`)
  return value
}

// As in XGrammar: inside a JSON string a class of characters takes neither quotes nor backslashes, while a literal keeps them.
function withoutQuotes(expression: Expression): Expression {
  switch (expression.kind) {
    case 'characters': {
      const refused = normalizeRanges([...complement(PLAIN_RANGES), ...complement(expression.ranges)])
      return { kind: 'characters', ranges: complement(refused) }
    }
    case 'sequence':
    case 'choice':
      return { ...expression, items: expression.items.map(withoutQuotes) }
    case 'repeat':
      return { ...expression, item: withoutQuotes(expression.item) }
    default:
      return expression
  }
}

/** Text of an element up to its closing mark; the mark itself is not part of it. */
export function textWithout(mark: string): Expression {
  return mark === '' ? ANY_CHARACTERS : { kind: 'free', excludes: [mark], dispatch: [], loop: false, max: null }
}

function createFormats(): Record<string, string> {
  const date = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
  const zone = '(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])'
  const time = `([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?${zone}`
  const seconds = '[0-9]+S'
  const minutes = `[0-9]+M(${seconds})?`
  const clock = `(${seconds}|${minutes}|[0-9]+H(${minutes})?)`
  const days = '[0-9]+D'
  const months = `[0-9]+M(${days})?`
  const calendar = `(${days}|${months}|[0-9]+Y(${months})?)`
  const byte = '(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])'
  const coded = '%[0-9A-Fa-f]{2}'
  const unreserved = "a-zA-Z0-9_.~!$&'()*+,;="
  const part = `([${unreserved}:@-]|${coded})`
  const query = `(\\?([${unreserved}:@/?-]|${coded})*)?(#([${unreserved}:@/?-]|${coded})*)?`
  const authority = `//(([${unreserved}:-]|${coded})*@)?([${unreserved}-]|${coded})*(:[0-9]*)?(/${part}*)*`
  const rooted = `(${part}+(/${part}*)*)?`
  const atom = "[a-zA-Z0-9_!#$%&'*+/=?^`{|}~-]+"
  const pointer = '(/([\\x00-.]|[0-}]|[\\x7f-\\u{10ffff}]|~[01])*)*'
  return {
    date,
    time,
    'date-time': `${date}T${time}`,
    duration: `P(${calendar}(T${clock})?|T${clock}|[0-9]+W)`,
    uuid: '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}',
    ipv4: `(${byte}\\.){3}${byte}`,
    ipv6: ipv6(),
    hostname: '[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*',
    email: `(${atom}(\\.${atom})*|\\\\"(\\\\[ -~]|[ !#-\\[\\]-~])*\\\\")@[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])*`,
    uri: `[a-zA-Z][a-zA-Z+.-]*:(${authority}|/?${rooted})${query}`,
    'uri-reference': `(${authority}|/${rooted}|(([${unreserved}@-]|${coded})+(/${part}*)*)?)${query}`,
    'json-pointer': pointer,
    'relative-json-pointer': `(0|[1-9][0-9]*)(#|${pointer})`,
  }
}

function ipv6(): string {
  const group = '[0-9a-fA-F]{1,4}'
  const byte = '(25[0-5]|(2[0-4]|1?[0-9])?[0-9])'
  const ipv4 = `(${byte}\\.){3}${byte}`
  const shortened = [1, 2, 3, 4, 5, 6].map((count) => `(${group}:){1,${7 - count}}(:${group}){1,${count}}`)
  return [
    `(${group}:){7}${group}`,
    `(${group}:){1,7}:`,
    ...shortened,
    `:((:${group}){1,7}|:)`,
    `::(ffff(:0{1,4})?:)?${ipv4}`,
    `(${group}:){1,4}:${ipv4}`,
  ].join('|')
}
