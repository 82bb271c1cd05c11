import type { IncomingMessage, ServerResponse } from 'node:http'

/** The body of a reply on its way. */
export interface PassedBody {
  /** Writes what came in this turn; nothing happens where nothing did. */
  flush(): void
}

/**
 * Passes the body of a reply on, and ends the reply with it. Chunks that came with one read of the connection go on as one, before
 * the loop turns: most of what passing on costs is paid for each chunk. A reader that is slow makes the server wait.
 *
 * @param onBytes is told of each chunk as it came
 */
export function passBody(from: IncomingMessage, to: ServerResponse, onBytes: (bytes: Uint8Array) => void): PassedBody {
  let held: Uint8Array[] = []
  const flush = (): void => {
    const [first, second] = held
    if (first === undefined) return
    const bytes = second === undefined ? first : Buffer.concat(held)
    held = []
    if (!to.destroyed && !to.write(bytes)) from.pause()
  }
  to.on('drain', () => from.resume())
  from.on('data', (bytes: Uint8Array) => {
    onBytes(bytes)
    if (held.push(bytes) === 1) process.nextTick(flush)
  })
  from.on('end', () => {
    flush()
    if (from.rawTrailers.length > 0 && !to.destroyed) to.addTrailers(pairs(from.rawTrailers))
    to.end()
  })
  return { flush }
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''])
}
