import { str, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { GEMMA_4 } from './marks.ts'

/** What a prompt shows of data: texts, and the token that stands on both sides of every string. */
export type Printed = string | { readonly token: string } | readonly Printed[]

const QUOTE: Printed = { token: GEMMA_4.quote }

/** A text between quotes. */
export function quoted(text: string): Printed {
  return [QUOTE, text, QUOTE]
}

/** Pieces with commas between them. */
export function listed(pieces: readonly Printed[]): Printed {
  return pieces.map((piece, index) => (index === 0 ? piece : [',', piece]))
}

/** Adds what is shown to a prompt. */
export function writePrinted(writer: PartWriter, printed: Printed): void {
  if (typeof printed === 'string') writer.text(printed)
  else if ('token' in printed) writer.add(printed.token)
  else for (const each of printed) writePrinted(writer, each)
}

/** A value as the template prints it: keys sorted, null as Python prints it. */
export function valueOf(value: PyValue, hasQuotedKeys: boolean): Printed {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (isList(value)) return ['[', listed(value.map((each) => valueOf(each, hasQuotedKeys))), ']']
  if (isDict(value)) return ['{', membersOf(value, hasQuotedKeys), '}']
  return str(value)
}

/** The members of a map, without its brackets. */
export function membersOf(dict: PyDict, hasQuotedKeys: boolean): Printed {
  return listed(
    sorted(dict).map(([key, value]) => [hasQuotedKeys ? quoted(key) : key, ':', valueOf(value, hasQuotedKeys)]),
  )
}

/** As Jinja's `dictsort`: by key, ignoring case, by code points. */
export function sorted(dict: PyDict): readonly (readonly [string, PyValue])[] {
  const keyed = [...dict].map((member) => ({ member, by: codePoints(member[0].toLowerCase()) }))
  return keyed.toSorted((one, other) => compared(one.by, other.by)).map(({ member }) => member)
}

/** As Jinja prints a member: nothing where it is missing, `None` for null. */
export function printed(dict: PyDict, key: string): string {
  const value = dict.get(key)
  return value === undefined ? '' : str(value)
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (char) => char.codePointAt(0) ?? 0)
}

function compared(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((code, index) => code !== other[index])
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}
