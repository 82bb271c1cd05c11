import { pyIndex, pyLength, pySlice } from '@callspec/python'

/** Where `part` stands in `text[start:stop]`, as an index of code points, or -1. `last` looks from the end. */
export function findIn(text: string, part: string, range: { start: number; stop: number; last: boolean }): number {
  const length = pyLength(text)
  const [start, stop] = [clamped(range.start, length), clamped(range.stop, length)]
  if (start > stop || start > length) return -1
  const inside = start === 0 && stop === length ? text : pySlice(text, start, stop)
  const at = range.last ? inside.lastIndexOf(part) : inside.indexOf(part)
  return at < 0 ? -1 : start + pyIndex(inside, at)
}

/** `text[start:stop]`, or null where the start lies behind the text, so that not even the empty text is there. */
export function within(text: string, start: number, stop: number): string | null {
  const length = pyLength(text)
  const [from, to] = [start < 0 ? Math.max(0, start + length) : start, clamped(stop, length)]
  if (from > length) return null
  if (from > to) return null
  return from === 0 && to === length ? text : pySlice(text, from, to)
}

function clamped(index: number, length: number): number {
  if (index < 0) return Math.max(0, index + length)
  return Math.min(index, length)
}

/** How often `part` stands in `text`, without overlaps; the empty text stands between all characters. */
export function countIn(text: string, part: string): number {
  if (part === '') return pyLength(text) + 1
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++
  return count
}

/** `text.replace(old, new, count)`: the first `count` of them, all for a negative one. */
export function replaceIn(text: string, change: { old: string; new: string; count: number }): string {
  const most = change.count < 0 ? Number.POSITIVE_INFINITY : change.count
  if (change.old === '') return spread(text, change.new, most)
  let result = ''
  let from = 0
  let done = 0
  for (let at = text.indexOf(change.old); at >= 0 && done < most; at = text.indexOf(change.old, from)) {
    result += text.slice(from, at) + change.new
    from = at + change.old.length
    done++
  }
  return result + text.slice(from)
}

function spread(text: string, filling: string, most: number): string {
  let result = ''
  let done = 0
  for (const char of text) {
    if (done < most) result += filling
    done++
    result += char
  }
  return done < most ? result + filling : result
}
