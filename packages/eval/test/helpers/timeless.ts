/** A copy without the times of replies, which are never the same, nor are the check sums over them. */
export function timeless<T>(value: T): T {
  const withoutTimes = (name: string, inner: unknown): unknown => (/^ms$|_ms_|Ms$|^sum$/.test(name) ? null : inner)
  return JSON.parse(JSON.stringify(value, withoutTimes)) as T
}
