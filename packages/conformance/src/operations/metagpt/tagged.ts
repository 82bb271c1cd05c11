import { InputError } from '@callspec/core'
import { isDict, isList, isLiteralDict, isLiteralList, readLiteral, repr } from '@callspec/python'
import type { PyLiteral, PyLiteralDict, PyValue } from '@callspec/python'

/**
 * A Python value as the cases write it (MetaGPT spec §9): JSON where JSON has it, otherwise a map with one key such as
 * `$tuple`. Whole floats and ints beyond 2^53 are tagged too, so that every JSON reader can read them.
 */
export function toTagged(value: PyLiteral): PyValue {
  if (typeof value === 'string') return tagText(value)
  if (typeof value === 'number')
    return Number.isInteger(value) || !Number.isFinite(value) ? tag('$float', repr(value)) : value
  if (typeof value === 'bigint') return value > MAX_SAFE || value < -MAX_SAFE ? tag('$int', value.toString()) : value
  if (value === null || typeof value === 'boolean') return value
  if (isLiteralList(value)) return value.map(toTagged)
  if (isLiteralDict(value)) return tagDict(value)
  switch (value.kind) {
    case 'tuple':
    case 'set':
      return tag(`$${value.kind}`, value.items.map(toTagged))
    case 'complex':
      return tag('$complex', repr(value))
    case 'bytes':
      return tag('$bytes', value.bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(''))
    case 'ellipsis':
      return tag('$ellipsis', true)
    default:
      return tag('$codepoints', value.codePoints.map(BigInt))
  }
}

/** Reads a value back from that form. @throws InputError for a tag that is not known */
export function fromTagged(value: PyValue): PyLiteral {
  if (isList(value)) return value.map(fromTagged)
  if (!isDict(value)) return value
  const [first] = value
  if (first === undefined || value.size !== 1 || !first[0].startsWith('$')) {
    return new Map(Array.from(value, ([key, item]) => [key, fromTagged(item)]))
  }
  const [key, item] = first
  const items = isList(item) ? item : []
  if (key === '$tuple') return { kind: 'tuple', items: items.map(fromTagged) }
  if (key === '$set') return { kind: 'set', items: items.map(fromTagged) }
  if (key === '$dict')
    return new Map(items.map((pair) => (isList(pair) ? [literalAt(pair, 0), literalAt(pair, 1)] : [null, null])))
  if (key === '$ellipsis') return { kind: 'ellipsis' }
  if (key === '$codepoints') return { kind: 'code-points', codePoints: items.map(Number) }
  const special = key === '$float' && typeof item === 'string' ? SPECIAL_FLOATS.get(item) : undefined
  if (special !== undefined) return special
  if ((key === '$int' || key === '$float' || key === '$complex') && typeof item === 'string') return readLiteral(item)
  if (key === '$bytes' && typeof item === 'string') {
    return { kind: 'bytes', bytes: Array.from(item.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)) }
  }
  throw new InputError('input', `has the unknown tag "${key}".`)
}

/** Floats that no Python literal spells. */
const SPECIAL_FLOATS: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['-inf', -Infinity],
  ['nan', NaN],
])
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

function tag(key: string, value: PyValue): PyValue {
  return new Map([[key, value]])
}

function tagText(text: string): PyValue {
  if (!/\p{Surrogate}/u.test(text)) return text
  return tag(
    '$codepoints',
    Array.from(text, (char) => BigInt(char.codePointAt(0) ?? 0)),
  )
}

function tagDict(dict: PyLiteralDict): PyValue {
  const entries = [...dict]
  if (entries.every(([key]) => typeof key === 'string')) {
    return new Map(entries.map(([key, item]) => [String(key), toTagged(item)]))
  }
  return tag(
    '$dict',
    entries.map(([key, item]) => [toTagged(key), toTagged(item)]),
  )
}

function literalAt(pair: readonly PyValue[], at: number): PyLiteral {
  return fromTagged(pair[at] ?? null)
}
