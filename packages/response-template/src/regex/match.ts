import { caseVariants, isWordCharacter } from './character-set.ts'
import type { CharacterSet } from './character-set.ts'
import type { Assertion } from './node.ts'
import { again, enterGreedy, enterLazy, isLowAt, rangeOf } from './loops.ts'
import type { SetLoop, Step, SubMatch } from './program.ts'
import { FAILED, LOOP, PatternLimitError, RESTORE, WANTED } from './search.ts'
import type { Search } from './search.ts'

/** A Set of JavaScript holds no more than 2 ** 24 entries. */
const MAX_REMEMBERED = 8_000_000

/** Where a try is: the next step, and the offset in the text. */
interface Cursor {
  step: number
  offset: number
}

/** One level of tries: the whole pattern, or a part that is tried on its own. */
interface Level {
  readonly cursor: Cursor
  /** Offset at which the level began. */
  readonly at: number
  /** Offset at which it must end, for look-behinds; -1 for any. */
  readonly end: number
  readonly isOuter: boolean
  /** Entries of the stack below this belong to outer levels. */
  readonly base: number
  /** Whether failing depends on the step and the offset alone. */
  readonly mayRemember: boolean
  /** What this level has remembered, to be forgotten if it succeeds: then its steps have not failed. */
  readonly marks: number[]
  readonly loops: number[]
}

/**
 * Tries the steps from `start` on at the offset `at`, up to the `accept` of the same level. Slots hold the groups afterwards.
 *
 * @param end the offset at which the match must end, for look-behinds; -1 for any
 */
export function tryMatch(search: Search, start: number, at: number, end = -1): number {
  const level: Level = {
    cursor: { step: start, offset: at },
    at,
    end,
    isOuter: start === 0,
    base: search.stack.length,
    mayRemember: search.program.isMemoryless && end < 0 && search.notEmptyAt < 0,
    marks: [],
    loops: [],
  }
  const { cursor } = level
  const { steps } = search.program
  for (;;) {
    if (++search.work > search.maxWork) throw tooMuchWork(search.text.length)
    const current = steps[cursor.step]
    if (current === undefined) return FAILED
    if (current.op === 'accept') {
      if (isAccepted(search, level)) return cursor.offset
    } else {
      const offset = runStep(search, current, level)
      if (offset === WANTED) return WANTED
      if (offset !== FAILED) {
        cursor.offset = offset
        continue
      }
    }
    const isBack = goBack(search, level)
    if (isBack === null) return WANTED
    if (!isBack) return FAILED
  }
}

/** Takes one step. Answers with the new offset, `FAILED` or `WANTED`, and moves the cursor to the next step. */
function runStep(search: Search, current: Exclude<Step, { readonly op: 'accept' }>, level: Level): number {
  const { cursor } = level
  const { step, offset } = cursor
  cursor.step++
  switch (current.op) {
    case 'text':
      if (search.text.startsWith(current.text, offset)) return offset + current.text.length
      return search.isPartial && isBeginning(search.text, offset, current.text) ? WANTED : FAILED
    case 'set':
      return takeOne(search, current.set, offset)
    case 'loop':
      if (level.mayRemember && hasFailed(search, current, step, offset)) return FAILED
      return current.isLazy ? enterLazy(search, current, step, offset) : enterGreedy(search, current, step, offset)
    case 'split':
      search.stack.push(current.second, offset, 0, 0)
      cursor.step = current.first
      return offset
    case 'jump':
      cursor.step = current.to
      return offset
    case 'save':
    case 'round':
      search.stack.push(RESTORE, current.slot, search.slots[current.slot] ?? -1, 0)
      search.slots[current.slot] = offset
      return offset
    case 'round-end':
      if (search.slots[current.slot] !== offset) cursor.step = current.again
      return offset
    case 'assert':
      return holds(search, current.at, offset) ? offset : FAILED
    case 'reference':
      return matchReference(search, current.group, current.isFolded, offset)
    case 'branch':
      if ((search.slots[current.group * 2 + 1] ?? -1) < 0) cursor.step = current.no
      return offset
    case 'sub':
      cursor.step = current.next
      return runSub(search, current, step, offset)
  }
}

function takeOne({ text, isPartial }: Search, set: CharacterSet, offset: number): number {
  if (offset >= text.length) return isPartial ? WANTED : FAILED
  const code = text.codePointAt(offset) ?? 0
  if (!set.has(code)) return FAILED
  return offset + (code > 0xffff ? 2 : 1)
}

function hasFailed(search: Search, loop: SetLoop, step: number, offset: number): boolean {
  if (loop.max !== Infinity || search.failed.size === 0) return false
  const known = search.failed.get(step)
  return known !== undefined && offset >= known.from && offset <= known.to
}

/** Whether the level may end here. Then its alternatives are dropped; places of groups are still restored if an outer level fails. */
function isAccepted(search: Search, level: Level): boolean {
  const { offset } = level.cursor
  if (level.end >= 0 && offset !== level.end) return false
  if (level.isOuter) return !(offset === level.at && offset === search.notEmptyAt)
  keepRestores(search.stack, level.base)
  if (search.memory !== null) for (const mark of level.marks) search.memory.delete(mark)
  for (const loop of level.loops) search.failed.delete(loop)
  return true
}

/** Goes back to the last alternative that is left. False if there is none, null if a character past the end is wanted. */
function goBack(search: Search, level: Level): boolean | null {
  const { stack, slots } = search
  const { cursor } = level
  while (stack.length > level.base) {
    const extra = stack.pop() ?? 0
    const third = stack.pop() ?? 0
    const second = stack.pop() ?? 0
    const first = stack.pop() ?? 0
    if (first === RESTORE) {
      slots[second] = third
      continue
    }
    if (first === LOOP) {
      const offset = again(search, second, third, extra)
      if (offset === WANTED) return null
      if (offset === FAILED) {
        rememberLoop(search, level, second, third)
        continue
      }
      cursor.step = second + 1
      cursor.offset = offset
    } else {
      cursor.step = first
      cursor.offset = second
    }
    if (!level.mayRemember || !isKnown(search, level)) return true
  }
  return false
}

function rememberLoop(search: Search, level: Level, step: number, bound: number): void {
  const loop = search.program.steps[step]
  if (!level.mayRemember || loop?.op !== 'loop' || loop.max !== Infinity) return
  search.failed.set(step, rangeOf(search, loop, bound))
  if (!level.isOuter) level.loops.push(step)
}

function tooMuchWork(length: number): PatternLimitError {
  return new PatternLimitError(`The pattern needs too much work on a text of ${length} characters.`)
}

/** Whether the rest of the text is the beginning of `wanted`, and shorter. */
function isBeginning(text: string, offset: number, wanted: string): boolean {
  const left = text.length - offset
  return left < wanted.length && (left <= 0 || text.endsWith(wanted.slice(0, left)))
}

/** Whether the alternative was tried before; if not, it is now. */
function isKnown(search: Search, { cursor, isOuter, marks }: Level): boolean {
  if (search.memory === null) {
    if (search.work < search.rememberFrom) return false
    search.memory = new Set()
  }
  const mark = (cursor.offset - search.from) * search.program.steps.length + cursor.step
  if (search.memory.has(mark)) return true
  if (search.memory.size < MAX_REMEMBERED) search.memory.add(mark)
  if (!isOuter) marks.push(mark)
  return false
}

function keepRestores(stack: number[], base: number): void {
  let kept = base
  for (let at = base; at < stack.length; at += 4) {
    if (stack[at] !== RESTORE) continue
    for (let part = 0; part < 4; part++) stack[kept + part] = stack[at + part] ?? 0
    kept += 4
  }
  stack.length = kept
}

function matchReference(search: Search, group: number, isFolded: boolean, offset: number): number {
  const { text, slots } = search
  const from = slots[group * 2] ?? -1
  const to = slots[group * 2 + 1] ?? -1
  if (from < 0 || to < from) return FAILED
  const wanted = text.slice(from, to)
  if (!isFolded) {
    if (text.startsWith(wanted, offset)) return offset + wanted.length
    return search.isPartial && isBeginning(text, offset, wanted) ? WANTED : FAILED
  }
  let at = offset
  for (const char of wanted) {
    if (at >= text.length) return search.isPartial ? WANTED : FAILED
    const code = text.codePointAt(at) ?? 0
    if (!caseVariants(char.codePointAt(0) ?? 0).includes(code)) return FAILED
    at += code > 0xffff ? 2 : 1
  }
  return at
}

function runSub(search: Search, sub: SubMatch, step: number, offset: number): number {
  if (sub.kind === 'behind') return lookBehind(search, sub, step, offset)
  const before = sub.isNegative ? search.slots.slice() : null
  const result = tryMatch(search, step + 1, offset)
  if (result === WANTED) return WANTED
  if (sub.kind === 'atomic') return result
  if (before !== null) search.slots.set(before)
  return (result === FAILED) === sub.isNegative ? offset : FAILED
}

function lookBehind(search: Search, sub: SubMatch, step: number, offset: number): number {
  if (search.isLenientAtEnd && offset === search.text.length) return offset
  const farthest = sub.max === Infinity ? 0 : Math.max(0, offset - sub.max)
  const before = sub.isNegative ? search.slots.slice() : null
  for (let from = offset - sub.min; from >= farthest; from--) {
    const base = search.stack.length
    const result = tryMatch(search, step + 1, from, offset)
    if (result === WANTED || result === FAILED) {
      search.stack.length = base
      continue
    }
    if (before !== null) search.slots.set(before)
    return sub.isNegative ? FAILED : offset
  }
  return sub.isNegative ? offset : FAILED
}

function holds(search: Search, at: Assertion, offset: number): boolean {
  const { text } = search
  if (search.isLenientAtEnd && offset === text.length && at.includes('boundary')) return true
  switch (at) {
    case 'begin':
      return offset === 0
    case 'end':
      return offset === text.length
    case 'end-or-line-feed':
      return offset === text.length || (offset === text.length - 1 && text.charCodeAt(offset) === 0x0a)
    case 'line-begin':
      return offset === 0 || text.charCodeAt(offset - 1) === 0x0a
    case 'line-end':
      return offset === text.length || text.charCodeAt(offset) === 0x0a
    case 'boundary':
      return isWordBefore(text, offset) !== isWordAfter(text, offset)
    case 'no-boundary':
      return isWordBefore(text, offset) === isWordAfter(text, offset)
    case 'word-begin':
      return !isWordBefore(text, offset) && isWordAfter(text, offset)
    case 'word-end':
      return isWordBefore(text, offset) && !isWordAfter(text, offset)
    case 'search-begin':
      return offset === search.from
  }
}

function isWordAfter(text: string, offset: number): boolean {
  return offset < text.length && isWordCharacter(text.codePointAt(offset) ?? 0)
}

function isWordBefore(text: string, offset: number): boolean {
  if (offset <= 0) return false
  return isWordCharacter(text.codePointAt(offset - (isLowAt(text, offset - 1) ? 2 : 1)) ?? 0)
}
