/** z of a two-sided 95 % interval. */
const Z = 1.959964

/** A share of a count; `rate` is null when there was nothing to count, which is neither 0 nor 100 %. */
export interface Rate {
  readonly hits: number
  readonly of: number
  readonly rate: number | null
  /** Wilson's 95 % interval; null with the rate. */
  readonly interval: readonly [number, number] | null
}

/** A rate with its interval. */
export function rate(hits: number, of: number): Rate {
  return of === 0 ? { hits, of, rate: null, interval: null } : { hits, of, rate: hits / of, interval: wilson(hits, of) }
}

/** The Wilson score interval for `hits` of `of` > 0, z = 1.959964. */
export function wilson(hits: number, of: number): readonly [number, number] {
  const share = hits / of
  const z2 = Z * Z
  const centre = (share + z2 / (2 * of)) / (1 + z2 / of)
  const half = (Z * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of * of))) / (1 + z2 / of)
  return [Math.max(0, centre - half), Math.min(1, centre + half)]
}

/** The mean, or null of nothing. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** How often each text occurs, in the given order of names, without those that do not occur. */
export function histogram<T extends string>(
  values: readonly T[],
  order: readonly T[],
): Readonly<Partial<Record<T, number>>> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const known = order.flatMap((name) => (counts.has(name) ? [[name, counts.get(name)] as const] : []))
  return Object.fromEntries(known) as Partial<Record<T, number>>
}
