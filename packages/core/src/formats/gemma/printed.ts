import type { ValueNotation } from '../../conversation/shown-value.ts'
import type { Shown } from '../../conversation/part-writer.ts'
import { pyCompare, str } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { GEMMA_4 } from './marks.ts'

const QUOTE: Shown = { kind: 'token', text: GEMMA_4.quote }

/** A text between the tokens that stand on both sides of every string. */
export function quoted(text: string): Shown {
  return [QUOTE, text, QUOTE]
}

/** How the template prints arguments and results: keys sorted, null and numbers as Python prints them. */
export const PRINTED: ValueNotation = {
  words: { null: 'None', true: 'true', false: 'false' },
  string: quoted,
  key: (key) => key,
  number: str,
  comma: ',',
  colon: ':',
  members: sorted,
}

/** How it prints values of a declaration. */
export const DECLARED: ValueNotation = { ...PRINTED, key: quoted }

/** As Jinja's `dictsort`: by key, ignoring case, by code points. */
export function sorted(dict: PyDict): readonly (readonly [string, PyValue])[] {
  return [...dict].toSorted(([one], [other]) => pyCompare(one.toLowerCase(), other.toLowerCase()))
}
