/** A server that asks to wait for longer is not waited for: the run ends. A day. */
export const LONGEST_WAIT_MS = 86_400_000

/**
 * How long a server asks to wait, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date. A date counts from the
 * server's own clock where it tells it. A number below 0 and a date that has passed mean now, which is 0. Null for nothing, and
 * for what means nothing.
 */
export function retryAfter(headers: Headers | undefined): number | null {
  const milliseconds = numberIn(headers?.get('retry-after-ms') ?? null)
  if (milliseconds !== null) return milliseconds
  const given = headers?.get('retry-after') ?? null
  const seconds = numberIn(given)
  if (seconds !== null) return seconds * 1000
  const date = dateIn(given)
  return date === null ? null : Math.max(0, date - (dateIn(headers?.get('date') ?? null) ?? Date.now()))
}

/** Infinite where so many digits are given. */
function numberIn(text: string | null): number | null {
  return text !== null && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(text) ? Math.max(0, Number(text)) : null
}

/** `Date.parse` alone takes `-5` for a date. */
function dateIn(text: string | null): number | null {
  const value = text !== null && /[a-z]|\d-\d/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(value) ? null : value
}
