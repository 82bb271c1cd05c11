import { UsageError } from '../usage-error.ts'

/**
 * The chunks of a text, as they come.
 *
 * @throws UsageError when the first of them is no text: it holds a NUL, or more that is no UTF-8 than a torn letter leaves
 */
export async function* onlyText(path: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const chunk of chunks) {
    if (isFirst && isBinary(chunk)) throw new UsageError(`${path}: this is a binary file, no text. ${WHAT_TO_DO}`)
    isFirst = false
    yield chunk
  }
}

const WHAT_TO_DO = 'Give replies as a text or as JSON Lines; what is packed needs a name that ends in .gz.'

function isBinary(chunk: string): boolean {
  return chunk.includes('\0') || chunk.split('\ufffd').length - 1 > chunk.length * TORN
}

/** So much of a text may be letters that could not be read. */
const TORN = 0.05
