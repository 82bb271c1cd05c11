import { sortQuery } from './address.ts'

/** Stands where a secret was. */
export const REDACTED = '[redacted]'

/** A key as OpenAI and those who copy it write it. What stars stand in for is no secret any more. */
const KEY = /\b(?:sk|pk|rk|hf|gsk|xai)[-_][A-Za-z0-9_-]{8,}/g
const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}/gi
const HEADER = /\b((?:proxy-)?authorization|x-api-key|api-key)(["']?\s*[:=]\s*["']?)[^\s"',;]+/gi
const USERINFO = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@"']{1,500}@/gi

/**
 * The text without keys, `Authorization` and what stands before the `@` of an address. For everything that is written down
 * and does not come from a model. Linear; giving it its own result changes nothing.
 *
 * @param secrets further texts to take out, such as the key that was sent; those of less than 6 characters are kept
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets
    .filter((secret) => secret.length >= MIN_SECRET)
    .reduce((clean, secret) => clean.split(secret).join(REDACTED), text)
  return known
    .replace(BEARER, `$1 ${REDACTED}`)
    .replace(HEADER, (whole, name: string, sign: string) =>
      /^(?:bearer|basic)$/i.test(whole.slice(name.length + sign.length)) ? whole : `${name}${sign}${REDACTED}`,
    )
    .replace(KEY, REDACTED)
    .replace(USERINFO, `$1${REDACTED}@`)
}

const MIN_SECRET = 6

/**
 * The address without name and password, and without what in its query may be a key: `api-version` is none. What is no address
 * is redacted as text.
 */
export function redactedUrl(url: string): string {
  if (!URL.canParse(url)) return redact(url)
  const parsed = new URL(url)
  const { open, secrets } = sortQuery(parsed.search.slice(1))
  const parts = [open, secrets.length === 0 ? '' : REDACTED].filter((part) => part !== '')
  const query = parts.length === 0 ? '' : `?${parts.join('&')}`
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}${query}`
}
