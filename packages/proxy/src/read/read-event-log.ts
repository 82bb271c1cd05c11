import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { RecordedExchange } from './recorded-exchange.ts'

/** A stream longer than this is given in parts. */
const MOST_BYTES = 64_000_000
const END_MARK = /^data:\s*\[DONE\]\s*$/

/**
 * The streams of a log of server-sent events that somebody else has written: lines `data: …`, whatever stands between them. A
 * stream ends with `data: [DONE]`, or where the file does.
 *
 * @throws the system's error for a file that cannot be read
 */
export async function* readEventLog(path: string): AsyncGenerator<RecordedExchange> {
  const name = basename(path)
  let [lines, bytes, count] = [[] as string[], 0, 0]
  const made = (): RecordedExchange => {
    count += 1
    const text = lines.map((line) => `${line}\n\n`).join('')
    lines = []
    bytes = 0
    return { ...UNKNOWN, name: `${name}#${count}`, chunks: [{ at: 0, bytes: Buffer.from(text) }] }
  }
  for await (const line of linesOf(createReadStream(path, 'utf8'))) {
    // Some logs put a time in front.
    const at = line.indexOf('data:')
    if (at < 0 || at > MOST_BEFORE) continue
    const data = line.slice(at).trimEnd()
    lines.push(data)
    bytes += data.length
    if (END_MARK.test(data) || bytes > MOST_BYTES) yield made()
  }
  if (lines.length > 0) yield made()
}

const MOST_BEFORE = 80

const UNKNOWN: Omit<RecordedExchange, 'name' | 'chunks'> = {
  ...{ method: null, path: null, request: null, status: 200, lacks: null, isRedacted: false, how: 'complete' },
  headers: { 'content-type': 'text/event-stream' },
}

/** Only a line feed ends a line: JSON may hold U+2028. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...rest] = chunk.split('\n')
    parts.push(first)
    for (const next of rest) {
      yield parts.join('')
      parts = [next]
    }
  }
  yield parts.join('')
}
