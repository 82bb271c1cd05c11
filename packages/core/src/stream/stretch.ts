import { MAX_QUOTE } from '../formats/issue.ts'
import { isSpace } from '@callspec/python'

/** A beginning of a text that starts at an offset. */
export interface Head {
  /** Offset of the first character. */
  start: number
  /** The first characters, as many as issues quote. What stands at negative offsets is not counted among those. */
  head: string
}

/**
 * A piece of a text that is collected while it arrives, without white space (Python's) at its ends. Plain data.
 *
 * Its text is put together with `+` and never read here: the engine then joins in constant time, and whoever reads the
 * text pays for it once. While there is nothing but white space, it starts where it begins.
 */
export interface Stretch extends Head {
  /** Everything up to the last character that is no white space. */
  trimmed: string
  /** The white space behind. It counts once something else follows. */
  space: string
}

/** A stretch that begins at an offset. */
export function stretchAt(start: number): Stretch {
  return { start, head: '', trimmed: '', space: '' }
}

/** Where the stretch ends, white space left out. */
export function trimmedEnd({ start, trimmed }: Stretch): number {
  return start + trimmed.length
}

/**
 * Adds text that stands at `at`, behind everything added before.
 *
 * @param isSkipped what is left out at the start
 * @returns how many characters it looked at: the white space at both ends, and one more
 */
export function extend(
  stretch: Stretch,
  text: string,
  at: number,
  isSkipped: (unit: number) => boolean = isSpace,
): number {
  let from = 0
  if (stretch.trimmed === '' && stretch.space === '') {
    while (from < text.length && isSkipped(text.charCodeAt(from))) from++
    if (from === text.length) return from
    stretch.start = at + from
  }
  let end = text.length
  while (end > from && isSpace(text.charCodeAt(end - 1))) end--
  addHead(stretch, from === 0 ? text : text.slice(from))
  if (end > from) {
    stretch.trimmed = stretch.trimmed + stretch.space + text.slice(from, end)
    stretch.space = text.slice(end)
  } else stretch.space += text.slice(from)
  return from + text.length - end + 1
}

/** Lets a beginning grow by the text behind it, until it is long enough. */
export function addHead(to: Head, text: string): void {
  const missing = MAX_QUOTE - Math.min(0, to.start) - to.head.length
  if (missing > 0) to.head += text.slice(0, missing)
}
