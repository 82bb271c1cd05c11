import { dumps, isDict, isList, quoteText } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** How a family writes values as text: lists and maps have the brackets of JSON, the rest differs. */
export interface ValueNotation {
  readonly words: { readonly null: string; readonly true: string; readonly false: string }
  readonly string: (text: string) => string
  readonly key: (key: string) => string
  /** Absent: as JSON writes it; `1.0` and `1` differ. */
  readonly number?: (value: PyValue) => string
  /** Between two elements, and between a key and its value. */
  readonly comma: string
  readonly colon: string
  /** The keys of a map in the order in which they are written. Absent: their own. */
  readonly keys?: (dict: PyDict) => Iterable<string>
}

/** JSON without blanks. */
export const COMPACT_JSON: ValueNotation = {
  words: { null: 'null', true: 'true', false: 'false' },
  string: quoteText,
  key: quoteText,
  comma: ',',
  colon: ':',
}

/** A value as a family writes it. */
export function valueText(value: PyValue, notation: ValueNotation): string {
  if (typeof value === 'string') return notation.string(value)
  if (value === null || typeof value === 'boolean') return notation.words[`${value}`]
  if (isDict(value)) return `{${membersText(value, notation)}}`
  if (!isList(value)) return (notation.number ?? dumps)(value)
  let items = ''
  for (const item of value) items += (items === '' ? '' : notation.comma) + valueText(item, notation)
  return `[${items}]`
}

/** The members of a map, without its brackets. */
export function membersText(dict: PyDict, notation: ValueNotation): string {
  const { key: spell, colon, comma } = notation
  let members = ''
  for (const key of notation.keys?.(dict) ?? dict.keys())
    members += `${members === '' ? '' : comma}${spell(key)}${colon}${valueText(dict.get(key) ?? null, notation)}`
  return members
}
