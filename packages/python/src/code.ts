import { attempt } from './raise.ts'
import { loadsJson5 } from './json5-loads.ts'
import type { PyValue } from './value.ts'
import { isDict } from './value.ts'

/**
 * The code that a code interpreter is to run: what stands in the first fenced block, else the member `code` of a JSON5
 * map, else the text as it is. The member is given back whatever its type, as in the reference (`extract_code`). Linear.
 */
export function extractCode(text: string): PyValue {
  const fenced = firstFenced(text)
  if (fenced !== null) return fenced
  const read = attempt(() => loadsJson5(text))
  const code = read.kind === 'returned' && isDict(read.value) ? read.value.get('code') : undefined
  return code ?? (code === null ? null : text)
}

const FENCE = '```'

/**
 * The match of /```[^\n]*\n(.+?)```/s. If the first fence leads to no match, no later one does: each needs a line feed
 * behind it and a fence behind that, and the first fence would have found the same ones.
 */
function firstFenced(text: string): string | null {
  const open = text.indexOf(FENCE)
  const lineEnd = open < 0 ? -1 : text.indexOf('\n', open + FENCE.length)
  if (lineEnd < 0) return null
  // At least one character stands between the line feed and the closing fence.
  const close = text.indexOf(FENCE, lineEnd + 2)
  return close < 0 ? null : text.slice(lineEnd + 1, close)
}
