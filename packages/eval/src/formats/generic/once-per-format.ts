import type { Format } from '@callspec/core'

/** A function of a format that is worked out once for each. */
export function oncePerFormat<T>(make: (format: Format) => T): (format: Format) => T {
  const known = new WeakMap<Format, { readonly value: T }>()
  return (format) => {
    const made = known.get(format) ?? { value: make(format) }
    known.set(format, made)
    return made.value
  }
}
