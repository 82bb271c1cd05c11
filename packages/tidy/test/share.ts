/*
 * Long tests run whole before a release, and with a small share of their texts, kills and mutants on every change
 * (`pnpm test:long --bounded`). A share is fixed: the same members each time.
 */
const SHARE = Number(process.env['CALLSPEC_LONG_SHARE'] ?? 1)

/** Whether long tests run whole. What only many tries can show, such as a time, is asked for then only. */
export const IS_WHOLE: boolean = SHARE === 1

/** How many of so many: of all where tests run whole, else a share of them; at least `least`. */
export function shareOf(whole: number, least = 1): number {
  return IS_WHOLE ? whole : Math.min(whole, Math.max(least, Math.round(whole * SHARE)))
}

/** The members of a list that are tried: all of them, else a share at equal distances; at least one. */
export function someOf<T>(list: readonly T[]): readonly T[] {
  const count = shareOf(list.length)
  return Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)]).filter(
    (member): member is T => member !== undefined,
  )
}
