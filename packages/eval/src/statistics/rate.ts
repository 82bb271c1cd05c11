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
  // At the ends the formula is exact; rounding would leave 1e-17 there.
  return [hits === 0 ? 0 : Math.max(0, centre - half), hits === of ? 1 : Math.min(1, centre + half)]
}

/** Half the width of an interval: what stands behind ±. Null for none. */
export function halfWidth(interval: readonly [number, number] | null): number | null {
  return interval === null ? null : (interval[1] - interval[0]) / 2
}
