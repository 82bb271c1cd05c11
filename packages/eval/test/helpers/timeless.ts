/** A copy without the times of replies, which are never the same. */
export function timeless<T>(value: T): T {
  const withoutTimes = (name: string, inner: unknown): unknown => (/^ms$|_ms_|Ms$/.test(name) ? null : inner)
  return JSON.parse(JSON.stringify(value, withoutTimes)) as T
}
