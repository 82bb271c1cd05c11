import { getItem } from '../values/attribute.ts'
import type { Run, Value } from '../values/value.ts'
import { isUndefined, stringValue } from '../values/value.ts'
import { isdigit } from '../methods/text.ts'

/** Returns an attribute of an item, or the item itself. */
export type Getter = (item: Value) => Value

/** The options of an attribute's lookup. */
export interface GetterRules {
  /** `a.0.b`, an int, or None for the item itself. */
  readonly attribute: Value
  /** Replaces missing attributes, unless None. */
  readonly otherwise?: Value
  /** Whether texts are compared without case. */
  readonly ignoresCase?: boolean
}

/** Gets the attribute of an item that `map(attribute=…)`, `groupby` and others name. */
export function attributeGetter({ attribute, otherwise = null, ignoresCase = false }: GetterRules, run: Run): Getter {
  const parts = partsOf(attribute)
  return (item) => {
    let value = item
    for (const part of parts) {
      value = getItem(value, part, run)
      if (otherwise !== null && isUndefined(value)) value = otherwise
    }
    return ignoresCase ? lowered(value) : value
  }
}

/** Returns several attributes, separated by commas, as one list to sort by. */
export function attributesGetter({ attribute, ignoresCase = false }: GetterRules, run: Run): Getter {
  const text = stringValue(attribute)
  const names: readonly Value[] = text === null ? [attribute] : text.split(',')
  const getters = names.map((name) => attributeGetter({ attribute: name, ignoresCase }, run))
  return (item) => getters.map((get) => get(item))
}

/** A text in small letters, anything else as it is. */
export function lowered(value: Value): Value {
  const text = stringValue(value)
  return text === null ? value : text.toLowerCase()
}

function partsOf(attribute: Value): readonly Value[] {
  if (attribute === null) return []
  const text = stringValue(attribute)
  return text === null ? [attribute] : text.split('.').map((part) => (isdigit(part) ? BigInt(part) : part))
}
