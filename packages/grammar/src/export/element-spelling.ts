/** JSON types, as a schema names them. */
export const VALUE_TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const
export type ValueKind = (typeof VALUE_TYPES)[number]

/** How arguments are written as elements: `open`, key, what the type has between key and value, the value, `close`. */
export type ElementSpelling = {
  readonly kind: 'elements'
  readonly open: string
  readonly between: string
  /** What ends an element, after a value: the key may be part of it. */
  readonly close: string | { readonly before: string; readonly after: string }
  /** How objects and lists are written as elements in an element: the key of the elements of a list. Null where they are one text. */
  readonly nested: { readonly item: string } | null
  /** What is between key and value; of a string also what encloses it. */
  readonly middle: Readonly<Record<ValueKind, string>>
  readonly stringClose: string
  /** Whether strings are written as in a list, with quotes. */
  readonly isQuoted: boolean
  /** What precedes the first element and follows the last one, in the call of a probe. */
  readonly lead: string
  readonly end: string
}

const NUMBER = 8675309

type NestedProbe = {
  readonly key: string
  /** What is between the values of two arguments, without the second key. */
  readonly joint: string
  readonly integer: { readonly before: string; readonly middle: string; readonly rest: string }
  readonly write: (given: Readonly<Record<string, unknown>>) => string
}

/** Elements that are named where they end, with elements in them; null where they are something else. */
export function nestedSpelling({ key, joint, integer, write }: NestedProbe): ElementSpelling | null {
  const { before, middle, rest } = integer
  const [closeStart = '', tail = ''] = joint.split(key)
  const open = tail.slice(middle.length)
  if (middle === '' || !tail.startsWith(middle) || !before.endsWith(open)) return null
  const lead = before.slice(0, before.length - open.length)
  const close = { before: closeStart, after: middle }
  const same = { string: middle, integer: middle, number: middle, boolean: middle, null: middle, array: middle }
  const element = (name: string, inner: string): string => open + name + middle + inner + closeStart + name + middle
  const end = rest.slice(`${closeStart}${key}${middle}`.length)
  const list = write({ [key]: [NUMBER] })
  const item = list.slice((lead + open + key + middle + open).length).split(middle)[0] ?? ''
  const isNested =
    list === lead + element(key, element(item, String(NUMBER))) + end &&
    write({ [key]: { zqinner: NUMBER } }) === lead + element(key, element('zqinner', String(NUMBER))) + end
  if (!isNested) return null
  const middles = { ...same, object: middle }
  return {
    ...{ kind: 'elements', open, between: '', close, nested: { item }, middle: middles },
    ...{ stringClose: '', isQuoted: false, lead, end },
  }
}

/** What ends an element of that key. */
export function closeOf({ close }: ElementSpelling, key: string): string {
  return typeof close === 'string' ? close : close.before + key + close.after
}
