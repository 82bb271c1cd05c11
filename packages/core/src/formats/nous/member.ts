import { str, isDict, isList, Raise } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/**
 * `value[key]` of Python for a text as key, with the map that it was found in.
 *
 * @throws Raise `KeyError` for a map without the key, `TypeError` for anything that is not a map
 */
export function memberOf(value: PyValue, key: string): { readonly owner: PyDict; readonly value: PyValue } {
  if (typeof value === 'string') throw new Raise('TypeError', `string indices must be integers, not 'str'`)
  if (isList(value)) throw new Raise('TypeError', 'list indices must be integers or slices, not str')
  if (!isDict(value)) throw new Raise('TypeError', `'${typeName(value)}' object is not subscriptable`)
  const member = value.get(key)
  if (member === undefined) throw new Raise('KeyError', `'${key}'`)
  return { owner: value, value: member }
}

/**
 * `key in value` of Python for a text as key: a member of a map, an element of a list, a part of a text.
 *
 * @throws Raise `TypeError` for numbers and booleans
 */
export function contains(value: PyValue, key: string): boolean {
  if (typeof value === 'string' || isList(value)) return value.includes(key)
  if (isDict(value)) return value.has(key)
  throw new Raise('TypeError', `argument of type '${typeName(value)}' is not iterable`)
}

/**
 * The map with `value[key] = member` done, in place of the old member or at the end.
 *
 * @throws Raise `TypeError` for anything that is not a map
 */
export function withMember(value: PyValue, key: string, member: PyValue): PyDict {
  if (isList(value)) throw new Raise('TypeError', 'list indices must be integers or slices, not str')
  if (!isDict(value)) throw new Raise('TypeError', `'${typeName(value)}' object does not support item assignment`)
  return new Map([...value, [key, member]])
}

/** The Python class of a value that has no members. */
function typeName(value: PyValue): string {
  switch (typeof value) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float'
    default:
      return value === null ? 'NoneType' : str(value)
  }
}
