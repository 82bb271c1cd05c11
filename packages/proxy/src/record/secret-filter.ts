import { HIDDEN } from './hide-headers.ts'

/** Takes secrets out of bytes that come in pieces. */
export interface SecretFilter {
  /** What may be written of everything so far; empty while its end may be the beginning of a secret. */
  push(bytes: Uint8Array): Uint8Array
  /** What was held back. */
  end(): Uint8Array
}

const NOTHING = new Uint8Array(0)
const PASSES: SecretFilter = { push: (bytes) => bytes, end: () => NOTHING }
/** So many of its first bytes are no chance. */
const MIN_BEGINNING = 6

/** Servers quote the key that they refuse, and a quote may be cut anywhere. Linear in the bytes, for each secret. */
export function createSecretFilter(secrets: readonly Buffer[]): SecretFilter {
  if (secrets.length === 0) return PASSES
  let held: Uint8Array = NOTHING
  const inside = bytesInside(secrets)
  return {
    push: (bytes) => {
      const clean = withoutSecrets(held.length === 0 ? bytes : Buffer.concat([held, bytes]), secrets)
      // Events end in a line feed, which no key has: nearly always one look is enough.
      const mayBeOpen = inside[clean[clean.length - 1] ?? 0] === 1
      const isOpen = mayBeOpen && secrets.some((secret) => endsInBeginning(clean, secret))
      held = isOpen ? clean : NOTHING
      return isOpen ? NOTHING : clean
    },
    end: () => {
      const rest = held
      held = NOTHING
      return rest
    },
  }
}

/** Which bytes a secret has. */
function bytesInside(secrets: readonly Buffer[]): Uint8Array {
  const inside = new Uint8Array(256)
  for (const secret of secrets) for (const byte of secret) inside[byte] = 1
  return inside
}

/** Bytes that are all there, without the secrets in them; the same ones where there is none. */
export function withoutSecrets(bytes: Uint8Array, secrets: readonly Buffer[]): Uint8Array {
  let clean: Uint8Array = bytes
  for (const secret of secrets) {
    const view = asBuffer(clean)
    let at = view.indexOf(secret)
    if (at < 0) continue
    const parts: Uint8Array[] = []
    let from = 0
    for (; at >= 0; at = view.indexOf(secret, from)) {
      parts.push(view.subarray(from, at), Buffer.from(HIDDEN))
      from = at + secret.length
    }
    clean = Buffer.concat([...parts, view.subarray(from)])
  }
  return clean
}

/** Whether the last bytes are the first ones of a secret. */
function endsInBeginning(bytes: Uint8Array, secret: Buffer): boolean {
  const view = asBuffer(bytes)
  const most = Math.min(secret.length - 1, view.length)
  for (let size = most; size >= MIN_BEGINNING; size -= 1) {
    if (
      view[view.length - 1] === secret[size - 1] &&
      view.subarray(view.length - size).equals(secret.subarray(0, size))
    )
      return true
  }
  return false
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
