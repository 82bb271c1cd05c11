import { randomUUID } from 'node:crypto'

/** Stands in a parsed value for a number, with its spelling; nobody outside can know the key. */
const KEY = randomUUID()

/** A text of JSON, or a number outside of one. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

const HELD = new RegExp(`\\{"${KEY}":"([^"]+)"\\}`, 'g')

/** A value of JSON whose numbers are held as they are spelled: `1.0` is not `1`, and 2^53 + 1 keeps its digits. */
export function readExactly(json: string): unknown {
  return JSON.parse(json.replace(TEXT_OR_NUMBER, (found) => (found.startsWith('"') ? found : `{"${KEY}":"${found}"}`)))
}

/**
 * Does something for which `JSON.stringify` writes such values as they were spelled: the binding hands everything to llama.cpp
 * by way of that function of the process, and JavaScript has no other number than its own before Node 21.
 */
export function writingExactly<Result>(work: () => Result): Result {
  const plain = JSON.stringify
  const exact = (...given: Parameters<typeof JSON.stringify>): string | undefined =>
    (plain(...given) as string | undefined)?.replace(HELD, (_, spelled: string) => spelled)
  try {
    JSON.stringify = exact as typeof JSON.stringify
    return work()
  } finally {
    JSON.stringify = plain
  }
}
