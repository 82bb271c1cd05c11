import { type Expression, GrammarError, choice, optional, repeat, sequence } from './expression.ts'
import type { AddRule } from './schema-numbers.ts'

/** The members of an object, however they are written: each `entry` is a member without what separates it from others. */
export type Members = {
  readonly declared: readonly { readonly entry: Expression; readonly isRequired: boolean }[]
  /** A member that is not declared; null if there may be none. */
  readonly additional: Expression | null
  readonly separator: Expression
  readonly min: number
  readonly max: number | null
  readonly anyOrder: boolean
}

const MAX_MEMBERS = 1000

/**
 * Members in the order of the schema, then others; null alone is the empty list, if it is allowed.
 * `any_order` drops order, duplicates and `required`: only the number of entries is checked, as in XGrammar.
 */
export function membersOf(
  members: Members,
  addRule: AddRule,
): { readonly some: Expression | null; readonly mayBeEmpty: boolean } {
  const { declared, additional, max } = members
  if (declared.length > MAX_MEMBERS) throw new GrammarError(`An object declares more than ${MAX_MEMBERS} properties.`)
  const required = declared.filter((one) => one.isRequired).length
  const least = Math.max(members.min, members.anyOrder ? required : 0)
  if (max !== null && Math.max(least, required) > max)
    throw new GrammarError(`An object needs ${Math.max(least, required)} members, and maxProperties is ${max}.`)
  if (!additional && members.min > declared.length)
    throw new GrammarError(`minProperties is ${members.min}, but only ${declared.length} members may be written.`)
  const mayBeEmpty = least === 0 && required === 0
  if (max === 0 || (declared.length === 0 && !additional)) return { some: null, mayBeEmpty }
  if (members.anyOrder) return { some: anyOrder(members, least), mayBeEmpty }
  return { some: inOrder(members, addRule), mayBeEmpty }
}

function anyOrder({ declared, additional, separator, max }: Members, least: number): Expression {
  const entry = choice(...declared.map((one) => one.entry), ...(additional ? [additional] : []))
  return sequence(entry, repeat(sequence(separator, entry), Math.max(0, least - 1), max === null ? null : max - 1))
}

// One rule per member and count: "what may follow, from this member on, after so many".
function inOrder(members: Members, addRule: AddRule): Expression {
  const { declared, additional, separator, min, max } = members
  const isCounted = min > 0 || max !== null
  const rules = new Map<string, Expression>()
  const follow = (from: number, written: number): Expression => {
    const count = !isCounted ? 0 : max === null ? Math.min(written, min) : written
    const key = `${from}/${count}`
    const known = rules.get(key)
    if (known) return known
    const { reference, set } = addRule('members')
    rules.set(key, reference)
    set(build(from, count))
    return reference
  }
  const build = (from: number, count: number): Expression => {
    const member = declared[from]
    const isFull = max !== null && count >= max
    if (!member) return tail(count)
    const parts = member.isRequired ? [] : [follow(from + 1, count)]
    if (!isFull) parts.unshift(sequence(separator, member.entry, follow(from + 1, count + 1)))
    return choice(...parts)
  }
  const tail = (count: number): Expression => {
    // A choice of nothing accepts nothing: too few members were written.
    if (!additional) return count < min ? choice() : sequence()
    return repeat(
      sequence(separator, additional),
      Math.max(0, min - count),
      max === null ? null : Math.max(0, max - count),
    )
  }
  const first: Expression[] = []
  for (const [index, member] of declared.entries()) {
    first.push(sequence(member.entry, follow(index + 1, 1)))
    if (member.isRequired) return choice(...first)
  }
  if (additional) first.push(sequence(additional, tail(1)))
  return choice(...first)
}

/** Members between two marks, where the list may be empty. */
export function enclosed(
  marks: { readonly open: Expression; readonly close: Expression; readonly space: Expression },
  { some, mayBeEmpty }: { readonly some: Expression | null; readonly mayBeEmpty: boolean },
): Expression {
  const inner = some === null ? null : sequence(marks.space, some)
  const body = inner === null ? sequence() : mayBeEmpty ? optional(inner) : inner
  return sequence(marks.open, body, marks.space, marks.close)
}
