import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/**
 * The text of a file, piece by piece; `.gz` is unpacked on the way. UTF-8, or UTF-16 where a byte order mark says so; the
 * mark is no part of the text.
 *
 * @param path a file, or `-` for standard input
 * @throws the file system's and zlib's errors
 */
export async function* readText(path: string): AsyncGenerator<string> {
  const raw: Readable = path === '-' ? process.stdin : createReadStream(path)
  const stream = path.endsWith('.gz') ? unpacked(raw) : raw
  let decoder: InstanceType<typeof TextDecoder> | null = null
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const last = decoder?.decode() ?? ''
  if (last !== '') yield last
}

/** What PowerShell writes into a file is UTF-16. */
function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** An error of the file must reach the reader of the unpacked text, or it waits for ever. */
function unpacked(raw: Readable): Readable {
  const gunzip = createGunzip()
  raw.on('error', (error) => gunzip.destroy(error))
  return raw.pipe(gunzip)
}
