import type { Failure } from '../trace/failure.ts'

/** Statuses of a server that takes no request as it is: other address, other key, other model. */
export const REFUSES_ALL: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 402, 403, 404, 405])

/** Whether a server took a request and did not answer it within the time-out: it would not answer the next one either. */
export function hangs({ kind, status, message }: Failure): boolean {
  return kind === 'infra' && status === null && message.endsWith(' in time')
}

/** What to do about a server that hangs. */
export const HANGS =
  'Look at the log of the server: it accepts requests and does not answer them. If it only needs longer, raise --timeout.'

/** What to do about a server that does not take the key, or wants one. */
export const NEEDS_KEY = 'Put a key of this server into a variable, and name that with --api-key-env.'

/** Whether a status asks for another key. */
export function asksForKey(status: number | null): boolean {
  return status === 401 || status === 403
}

/** What to do about a server that points to another one; null for every other status. */
export function redirectAdvice(status: number | null): string | null {
  if (status === null || status < 300 || status >= 400) return null
  return 'Nothing is sent where a server points to. If that is the server you mean, give its address with --base-url.'
}
