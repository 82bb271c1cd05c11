import { isJson } from '../text/json.ts'
import { elementsOf } from './json-elements.ts'
import { linesOf } from './read-lines.ts'

/** The records of a text: lines of JSON Lines, or elements of a JSON array or of JSON values over several lines. */
export interface JsonRecords {
  /** What a record is called when it is counted, from 1. */
  readonly unit: 'line' | 'element'
  readonly records: AsyncIterable<string>
}

/** Finds out by its first lines how a text holds its records. Reads no more than it must, and loses nothing of it. */
export async function jsonRecords(chunks: AsyncIterable<string>): Promise<JsonRecords> {
  const iterator = chunks[Symbol.asyncIterator]()
  let head = ''
  for (let enough = false; !enough; enough = isEnough(head)) {
    const next = await iterator.next()
    if (next.done === true) break
    head += next.value
  }
  const all = replayed(head, iterator)
  const start = head.trimStart()
  if (start.startsWith('[')) return { unit: 'element', records: elementsOf(all, 'array') }
  return isSpread(start)
    ? { unit: 'element', records: elementsOf(all, 'values') }
    : { unit: 'line', records: linesOf(all) }
}

async function* replayed(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    yield head
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    // A reader that stops early lets go of the file.
    await rest.return?.()
  }
}

/** A value that is spread over lines shows it in the first two, and these are short. */
const HEAD_UNITS = 100_000

function isEnough(head: string): boolean {
  const start = head.trimStart()
  return start.startsWith('[') || head.length > HEAD_UNITS || start.split('\n', 3).length > 2
}

/** An object whose first line is no JSON, and whose second one begins with a key: a torn line is followed by another `{`. */
function isSpread(start: string): boolean {
  const [first = '', second = ''] = start.split('\n', 2)
  return first.startsWith('{') && /^\s*"/.test(second) && !isJson(first)
}
