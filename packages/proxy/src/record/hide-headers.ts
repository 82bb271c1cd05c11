import type { RawHeaders } from '../pass/headers.ts'

/** Stands where something is not written down. */
export const HIDDEN = '[redacted]'

/** Headers that open nothing and name nobody. */
const OPEN =
  /^(?:accept(?:-.*)?|cache-control|content-(?:encoding|length|type)|date|openai-(?:beta|model|processing-ms|version)|retry-after(?:-ms)?|server|transfer-encoding|user-agent|x-ratelimit-.*|x-request-id|x-stainless-.*)$/

/** What headers are called that hold a secret; a value that comes back in a body is hidden there, too. */
const SECRET = /auth|cookie|key|password|secret|token/

/** Headers as they are written down: of those that may be keys the name alone. */
export function shownHeaders(raw: RawHeaders): Readonly<Record<string, string>> {
  const shown: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    shown.push([name, OPEN.test(name) ? (raw[at + 1] ?? '') : HIDDEN])
  }
  return Object.fromEntries(shown)
}

/** It says which version of the interface is meant. */
const OPEN_PART = /^api-version=[\w.-]{1,40}$/

/** A path as it is written down: values of its query are hidden, but for the version of the interface. */
export function shownPath(url: string): string {
  const at = url.indexOf('?')
  if (at < 0) return url
  const parts = url.slice(at + 1).split('&')
  return `${url.slice(0, at)}?${parts.map((part) => (OPEN_PART.test(part) ? part : hiddenPart(part))).join('&')}`
}

function hiddenPart(part: string): string {
  const [name = ''] = part.split('=', 1)
  return name === part ? HIDDEN : `${name}=${HIDDEN}`
}

/** Shorter ones would be found everywhere. */
const MIN_SECRET = 8
const MOST_SECRETS = 16

/** The texts of a request that open something: the words of headers that may be keys, and the values of its query. */
export function secretsIn(url: string, raw: RawHeaders): readonly Buffer[] {
  const found = new Set<string>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (!SECRET.test((raw[at] ?? '').toLowerCase())) continue
    const value = raw[at + 1] ?? ''
    for (const each of value.split(/[\s;,]+/)) found.add(each)
  }
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  for (const part of query.split('&')) if (!OPEN_PART.test(part)) found.add(part.slice(part.indexOf('=') + 1))
  const long = [...found].filter((secret) => secret.length >= MIN_SECRET)
  // The longest first: a part of a secret must not be taken out of it.
  return long
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MOST_SECRETS)
    .map((secret) => Buffer.from(secret))
}
