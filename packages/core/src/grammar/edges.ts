import { isJsonSpace } from './json-watch.ts'

/** Where the white space that `text` begins with ends, from `from` on. */
export function afterSpace(text: string, from = 0): number {
  let at = from
  while (at < text.length && isJsonSpace(text.charCodeAt(at))) at++
  return at
}

/** Where the white space that `text` ends with begins. */
export function beforeSpace(text: string): number {
  let end = text.length
  while (end > 0 && isJsonSpace(text.charCodeAt(end - 1))) end--
  return end
}
