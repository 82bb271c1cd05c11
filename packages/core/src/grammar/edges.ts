import { isJsonSpace } from './json-watch.ts'

/** Where the white space ends that stands at `from`; `end` at most. */
export function afterSpace(text: string, from: number = 0, end: number = text.length): number {
  let at = from
  while (at < end && isJsonSpace(text.charCodeAt(at))) at++
  return at
}

/** Where the white space begins that stands before `end`; `from` at least. */
export function beforeSpace(text: string, end: number = text.length, from: number = 0): number {
  let at = end
  while (at > from && isJsonSpace(text.charCodeAt(at - 1))) at--
  return at
}

/** The place before half a surrogate pair at the end of the text: the rest of it may come. */
export function wholePairs(text: string, end: number): number {
  return end > 0 && end === text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end
}
