import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/**
 * The lines of a file, one at a time; `.gz` is unpacked on the way. Only a line feed ends a line: JSON may hold U+2028.
 *
 * @param path a file, or `-` for standard input
 * @throws the file system's and zlib's errors
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  const raw: Readable = path === '-' ? process.stdin : createReadStream(path)
  const stream = path.endsWith('.gz') ? unpacked(raw) : raw
  const decoder = new TextDecoder('utf-8')
  // A long line arrives in many chunks; joining them once keeps it linear.
  let parts: string[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(first)
    for (const next of rest) {
      yield parts.join('')
      parts = [next]
    }
  }
  const last = parts.join('') + decoder.decode()
  if (last !== '') yield last
}

/** An error of the file must reach the reader of the unpacked text, or it waits for ever. */
function unpacked(raw: Readable): Readable {
  const gunzip = createGunzip()
  raw.on('error', (error) => gunzip.destroy(error))
  return raw.pipe(gunzip)
}
