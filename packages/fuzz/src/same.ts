/**
 * Whether two plain values are equal: lists, maps and members in their order, numbers by `Object.is`, a missing member
 * and one that is undefined alike. Answers of parsers are compared with it, so it is written for speed.
 */
export function same(a: unknown, b: unknown): boolean {
  // Most that is compared is text, and V8 has a shorter way for === than for Object.is.
  if (a === b) return a !== 0 || Object.is(a, b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return Number.isNaN(a) && Number.isNaN(b)
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameList(a, b)
  if (a instanceof Map || b instanceof Map) {
    return a instanceof Map && b instanceof Map && sameEntries(a, b)
  }
  return sameMembers(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>)
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (!same(a[at], b[at])) return false
  return true
}

function sameEntries(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  if (a.size !== b.size) return false
  const others = b.entries()
  for (const [key, value] of a) {
    const { value: other } = others.next()
    if (other === undefined || !same(key, other[0]) || !same(value, other[1])) return false
  }
  return true
}

/** Whether two values of JSON are equal as `same` has it, but for the order of the keys in their maps. */
export function sameInAnyOrder(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => sameInAnyOrder(item, b[at]))
  if (!(a instanceof Map && b instanceof Map)) return same(a, b)
  return a.size === b.size && [...a].every(([key, value]) => b.has(key) && sameInAnyOrder(value, b.get(key)))
}

function sameMembers(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  let more = 0
  for (const key in a) {
    const member = a[key]
    if (member === undefined) continue
    if (!same(member, b[key])) return false
    more -= 1
  }
  // What a has, b has too; as many members are the same ones.
  for (const key in b) if (b[key] !== undefined) more += 1
  return more === 0
}
