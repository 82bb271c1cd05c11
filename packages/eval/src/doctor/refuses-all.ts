/** Statuses of a server that takes no request as it is: other address, other key, other model. */
export const REFUSES_ALL: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 402, 403, 404, 405])

/** What to do about a server that points to another one; null for every other status. */
export function redirectAdvice(status: number | null): string | null {
  if (status === null || status < 300 || status >= 400) return null
  return 'Nothing is sent where a server points to. If that is the server you mean, give its address with --base-url.'
}
