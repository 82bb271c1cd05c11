import { sortQuery, splitAddress } from './address.ts'
import type { EndpointHeaders } from './headers.ts'
import { redact, REDACTED } from './redact.ts'

/** With what an endpoint is asked. */
export interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers?: EndpointHeaders | undefined
}

/** Everything that opens an endpoint: the key, the headers, whole and word by word (`Bearer …`), and the query of the address. */
export function secretsOf({ baseUrl, apiKey, headers = {} }: Credentials): readonly string[] {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)])
  const found = new Set([apiKey, ...values, ...sortQuery(splitAddress(baseUrl).query).secrets])
  // The longest first: a part of a secret must not be taken out of it.
  return [...found].toSorted((one, other) => other.length - one.length)
}

/** Shorter beginnings of a secret say nothing. */
const MIN_PART = 6

/** A message without secrets, also without one that was cut off in its middle, where the message was. */
export function withoutCredentials(message: string, secrets: readonly string[]): string {
  const clean = redact(message, secrets)
  const at = clean.lastIndexOf('…')
  if (at < 0) return clean
  const before = clean.slice(0, at)
  const cut = Math.max(0, ...secrets.map((secret) => overlap(before, secret)))
  return cut < MIN_PART ? clean : `${before.slice(0, -cut)}${REDACTED}${clean.slice(at)}`
}

/** How many characters at the end of the text are the beginning of the secret. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= MIN_PART; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return length
  return 0
}
