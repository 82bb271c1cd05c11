import { REDACTED, redact, RunError } from '@callspec/eval/worker-parts'

/** Where a queue is. */
export interface QueueAddress {
  /** `redis://`, or `rediss://` with TLS. May hold a user and a password. */
  readonly url: string
  /** What all keys of a project begin with: projects that share a Redis do not see each other. */
  readonly prefix: string
}

/** The project where none is named. */
export const DEFAULT_PREFIX = 'callspec'

/** @throws RunError for what is no address of a Redis, or no prefix; never with a password */
export function checkAddress({ url, prefix }: QueueAddress): void {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === '')
    throw new RunError(
      `${JSON.stringify(shownAddress(url))} is no address of a Redis. Give one such as redis://127.0.0.1/0, or rediss:// with TLS`,
    )
  if (!/^(?:\/\d{0,5})?$/.test(parsed.pathname))
    throw new RunError(`${shownAddress(url)} names no database: behind the host stands its number, such as /0`)
  if (!/^[\w.-]{1,64}$/.test(prefix))
    throw new RunError(
      `the prefix ${JSON.stringify(redact(prefix).slice(0, 64))} must be 1 to 64 letters, digits, dots, dashes and underscores`,
    )
}

/** The address without user and password. */
export function shownAddress(url: string): string {
  const at = url.lastIndexOf('@')
  const scheme = /^[a-z]+:\/\//i.exec(url)?.[0] ?? ''
  const host = (at < 0 ? url.slice(scheme.length) : url.slice(at + 1)).replace(/[?#].*$/s, '')
  return at < 0 ? `${scheme}${host}` : `${scheme}${REDACTED}@${host}`
}
