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
