import { isDict, isList, pyLength, repr } from '@callspec/python'
import type { PyList, PyValue } from '@callspec/python'

/** The complaint about the value, unless the keyword is kept. */
export function unless(holds: boolean, value: PyValue, complaint: string): readonly string[] {
  return holds ? [] : [`${repr(value)} ${complaint}`]
}

/** What is too short. A length of null does not count: the keyword is for other types. */
export function atLeast(wanted: PyValue, value: PyValue, length: number | null, complaint: string): readonly string[] {
  if (length === null || length >= Number(wanted)) return []
  return [`${repr(value)} ${Number(wanted) === 1 ? 'should be non-empty' : complaint}`]
}

/** What is too long. */
export function atMost(wanted: PyValue, value: PyValue, length: number | null, complaint: string): readonly string[] {
  if (length === null || length <= Number(wanted)) return []
  return [`${repr(value)} ${Number(wanted) === 0 ? 'is expected to be empty' : complaint}`]
}

/** A number against a limit; anything else is left alone. */
export function compared(
  value: PyValue,
  wanted: PyValue,
  holds: (a: number | bigint, b: number | bigint) => boolean,
  complaint: string,
): readonly string[] {
  if (typeof value !== 'number' && typeof value !== 'bigint') return []
  if (typeof wanted !== 'number' && typeof wanted !== 'bigint') return []
  return unless(holds(value, wanted), value, `${complaint} ${repr(wanted)}`)
}

/** Whether `a` is a whole multiple of `b`. */
export function isMultiple(a: number | bigint, b: number | bigint): boolean {
  if (typeof a === 'bigint' && typeof b === 'bigint') return b !== 0n && a % b === 0n
  return Number.isInteger(Number(a) / Number(b))
}

/** Whether a pattern occurs in the text; one that cannot be read matches everything. */
export function matches(pattern: PyValue, text: string): boolean {
  if (typeof pattern !== 'string') return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}

/** The keys of a map; of anything else, none. */
export function keysOf(value: PyValue): readonly string[] {
  return isDict(value) ? [...value.keys()] : []
}

/** How many members a map has; null for anything else. */
export function sizeOf(value: PyValue): number | null {
  return isDict(value) ? value.size : null
}

/** How many code points a text has; null for anything else. */
export function lengthOf(value: PyValue): number | null {
  return typeof value === 'string' ? pyLength(value) : null
}

/** The items of a list; of anything else, none. */
export function listOf(value: PyValue): PyList {
  return isList(value) ? value : []
}
