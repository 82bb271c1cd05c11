/** How often each name occurs; names that do not occur are left out. */
export type Counts<Name extends string = string> = Readonly<Partial<Record<Name, number>>>

/** The mean, or null of nothing. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The standard deviation of a sample (n - 1), or null of less than two values. */
export function sampleDeviation(values: readonly number[]): number | null {
  const centre = mean(values)
  if (centre === null || values.length < 2) return null
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1))
}

/** How often each text occurs, in the given order of names, without those that do not occur. */
export function histogram<T extends string>(
  values: readonly T[],
  order: readonly T[],
): Readonly<Partial<Record<T, number>>> {
  const counts = new Map<T, number>()
  for (const value of values) addTo(counts, value)
  return inOrder(counts, order)
}

/** Counts one more of `name`. */
export function addTo<T>(counts: Map<T, number>, name: T, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

/** Counts as an object in the given order of names, without those that do not occur. */
export function inOrder<T extends string>(
  counts: ReadonlyMap<T, number>,
  order: readonly T[],
): Readonly<Partial<Record<T, number>>> {
  const known = order.flatMap((name) => (counts.has(name) ? [[name, counts.get(name)] as const] : []))
  return Object.fromEntries(known) as Partial<Record<T, number>>
}
