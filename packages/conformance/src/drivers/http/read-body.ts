/** The longest body that is taken into memory. */
export const MAX_BODY_BYTES: number = 16 * 1024 * 1024

/** A body is longer than `MAX_BODY_BYTES`. */
export class TooLong extends Error {}

/**
 * The bytes of a body as text; what is not UTF-8 becomes U+FFFD, which the comparison then shows.
 *
 * @throws TooLong
 */
export async function readBody(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.length
    if (size > MAX_BODY_BYTES) throw new TooLong()
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
