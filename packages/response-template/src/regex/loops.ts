import type { SetLoop } from './program.ts'
import { FAILED, LOOP, WANTED } from './search.ts'
import type { Search } from './search.ts'

/** Takes as many characters as possible. Entry of the stack: step, offset of the first, offset reached. */
export function enterGreedy(search: Search, loop: SetLoop, step: number, from: number): number {
  const { text, stack } = search
  const { set, max } = loop
  let offset = from
  let count = 0
  let least = loop.min === 0 ? from : -1
  if (set.isAll && max === Infinity && loop.min <= 1) {
    offset = text.length
    count = offset > from ? 1 : 0
    least = loop.min === 0 ? from : afterOne(text, from)
  } else {
    while (count < max && offset < text.length) {
      const code = text.codePointAt(offset) ?? 0
      if (!set.has(code)) break
      offset += code > 0xffff ? 2 : 1
      count++
      if (count === loop.min) least = offset
    }
    search.work += count >> 2
  }
  if (offset >= text.length && count < max && search.isPartial) return WANTED
  if (count < loop.min) return FAILED
  if (offset > least) stack.push(LOOP, step, least, offset)
  return offset
}

function isInsidePair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

function afterOne(text: string, from: number): number {
  return from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1)
}

/**
 * Takes as few characters as possible. Entry of the stack: step, bound, offset reached. The bound is the number of characters
 * taken where their number is limited, else the least offset at which the loop may end.
 */
export function enterLazy(search: Search, loop: SetLoop, step: number, from: number): number {
  let offset = from
  for (let count = 0; count < loop.min; count++) {
    if (offset >= search.text.length) return search.isPartial ? WANTED : FAILED
    const code = search.text.codePointAt(offset) ?? 0
    if (!loop.set.has(code)) return FAILED
    offset += code > 0xffff ? 2 : 1
  }
  if (loop.max > loop.min) search.stack.push(LOOP, step, loop.max === Infinity ? offset : loop.min, offset)
  // as in the reference: a lazy loop wants a character where it begins at the end, not where it arrives there.
  if (search.isPartial && (offset >= search.text.length || isStillArriving(search, loop, offset, loop.max - loop.min)))
    return WANTED
  return offset
}

/**
 * Whether a partial search ends here: as in the reference, a lazy loop looks for the text that follows it without regard to its
 * own characters, and a text that is not there is still arriving.
 */
function isStillArriving(search: Search, loop: SetLoop, offset: number, left: number): boolean {
  if (loop.next.length < 2) return false
  const found = search.text.indexOf(loop.next, offset)
  return found < 0 || found - offset > left
}

/** The next alternative of a loop: one character less, or one more. */
export function again(search: Search, step: number, bound: number, offset: number): number {
  const loop = search.program.steps[step]
  if (loop?.op !== 'loop') return FAILED
  return loop.isLazy ? oneMore(search, loop, step, bound, offset) : oneLess(search, loop, step, bound, offset)
}

function oneLess(search: Search, loop: SetLoop, step: number, least: number, from: number): number {
  const { text, stack } = search
  let offset = from
  const wanted = loop.next.charCodeAt(0)
  for (;;) {
    if (offset <= least) return FAILED
    offset -= isLowAt(text, offset - 1) && offset - 2 >= least ? 2 : 1
    // The text that follows cannot be here: the next place. In a partial search the end is far from here.
    if (loop.next === '' || text.charCodeAt(offset) === wanted) break
    search.work += 0.125
  }
  // The entry stays until its last alternative has failed, so that the failing of the whole loop is seen.
  stack.push(LOOP, step, least, offset)
  return offset
}

export function isLowAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

function oneMore(search: Search, loop: SetLoop, step: number, bound: number, from: number): number {
  const { text, stack } = search
  const { set, max, next } = loop
  if (set.isAll && max === Infinity && loop.later !== '') {
    const least = from >= text.length ? from : afterOne(text, from)
    const later = from >= text.length ? -1 : text.indexOf(loop.later, least)
    const near = Math.max(least, later - loop.slack)
    const found = later < 0 ? -1 : isInsidePair(text, near) ? near + 1 : near
    search.work += found < 0 ? (text.length - from) >> 4 : (found - from) >> 4
    if (found < 0) return search.isPartial ? WANTED : FAILED
    stack.push(LOOP, step, bound, found)
    return found
  }
  const hasLimit = max !== Infinity
  const left = hasLimit ? max - bound - 1 : Infinity
  if (search.isPartial && left >= 0 && isStillArriving(search, loop, from + 1, left)) return WANTED
  let offset = from
  let taken = bound
  for (;;) {
    if (hasLimit && taken >= max) return isLastBefore(search, loop, offset) ? WANTED : FAILED
    if (offset >= text.length) return FAILED
    const code = text.codePointAt(offset) ?? 0
    if (!set.has(code)) {
      return isLastBefore(search, loop, offset) ? WANTED : FAILED
    }
    offset += code > 0xffff ? 2 : 1
    if (hasLimit) taken++
    if (next === '' || text.startsWith(next, offset) || offset + next.length > text.length) break
    search.work += 0.25
  }
  stack.push(LOOP, step, taken, offset)
  return offset
}

/** as in the reference: a lazy loop that ends before the last character looks for what follows it after that character. */
function isLastBefore({ isPartial, text }: Search, loop: SetLoop, offset: number): boolean {
  return isPartial && loop.next !== '' && offset < text.length && afterOne(text, offset) === text.length
}

/** Offsets from which a loop is known to fail, now that all its alternatives have. */
export function rangeOf(search: Search, loop: SetLoop, bound: number): { readonly from: number; readonly to: number } {
  const { text } = search
  let to = bound
  while (to < text.length) {
    const code = text.codePointAt(to) ?? 0
    if (!loop.set.has(code)) break
    to += code > 0xffff ? 2 : 1
  }
  return { from: bound, to }
}
