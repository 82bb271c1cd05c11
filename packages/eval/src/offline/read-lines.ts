import { createPieces } from './pieces.ts'
import { readText } from './read-text.ts'

/**
 * The lines of a file, one at a time; `.gz` is unpacked on the way. Only a line feed ends a line: JSON may hold U+2028.
 *
 * @param path a file, or `-` for standard input
 * @throws the file system's and zlib's errors
 */
export function readLines(path: string): AsyncGenerator<string> {
  return linesOf(readText(path))
}

/** The lines of a text that comes in chunks. Of a line beyond `MAX_RECORD_UNITS` the beginning, which is longer than that. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const line = createPieces()
  for await (const chunk of chunks) {
    const [first = '', ...rest] = chunk.split('\n')
    line.add(first)
    for (const next of rest) {
      yield line.take()
      line.add(next)
    }
  }
  const last = line.take()
  if (last !== '') yield last
}
