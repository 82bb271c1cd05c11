import { Raise } from './raise.ts'

/**
 * How deep lists and maps may be nested. CPython 3.11 gives up at 995 levels when called from the top of a program
 * (recursion limit 1000), sooner when called from deeper down; the json5 library gives up sooner still. Here the limit
 * is one number for readers and writers, so that whatever was read can be written, and no text overflows our own stack.
 */
export const MAX_DEPTH = 995

/** The error of nesting deeper than `MAX_DEPTH`; `doing` completes CPython's sentence. */
export function tooDeep(doing: string): Raise {
  return new Raise('RecursionError', `maximum recursion depth exceeded${doing === '' ? '' : ` ${doing}`}`)
}

/**
 * Whether the brackets of a JSON text nest deeper than `MAX_DEPTH`, found without reading it: a text of brackets alone takes
 * 200 times its size to read. Linear.
 */
export function isTooDeepJson(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isQuoted = !isQuoted
    else if (isQuoted) at += code === BACKSLASH ? 1 : 0
    else if ((code | BRACE_BIT) === OPEN_BRACE) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if ((code | BRACE_BIT) === CLOSE_BRACE) depth -= 1
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** What makes a brace of a square bracket. */
const BRACE_BIT = 0x20
