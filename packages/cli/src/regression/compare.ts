import { plural } from '@callspec/eval/text'
import { displayWidth } from '../columns.ts'
import { visibleWhiteSpace } from '../output.ts'

/** The first difference of two prompts. Offsets count bytes; columns count characters, from 1. */
export interface Drift {
  readonly offset: number
  readonly line: number
  readonly column: number
  /** The differing lines, in the golden file and now. */
  readonly before: readonly string[]
  readonly now: readonly string[]
}

const MAX_LINES = 6
const MAX_COLUMNS = 160

/** The first difference of two prompts, or null if all bytes are equal. */
export function driftBetween(golden: Uint8Array, current: Uint8Array): Drift | null {
  const shorter = Math.min(golden.length, current.length)
  let offset = 0
  while (offset < shorter && golden[offset] === current[offset]) offset += 1
  if (offset === shorter && golden.length === current.length) return null
  const [before, now] = [byteLines(golden), byteLines(current)]
  const start = countEqual(before, now)
  const tail = countEqual(before.slice(start).reverse(), now.slice(start).reverse())
  return {
    offset,
    line: start + 1,
    column: 1 + commonLength(before[start] ?? '', now[start] ?? ''),
    before: before.slice(start, before.length - tail),
    now: now.slice(start, now.length - tail),
  }
}

/**
 * The drift as lines for the terminal: its location, then the differing lines with visible white space, `-` for the golden file and `+` for
 * now, and a caret under the first difference. Lines between that are equal are left out.
 */
export function describeDrift(drift: Drift): readonly string[] {
  const [first, ...others] = partsOf(drift)
  const more = others.length - (MAX_PARTS - 1)
  return [
    ...describeWhole({ ...drift, ...first }),
    ...others
      .slice(0, MAX_PARTS - 1)
      .flatMap(({ line, before, now }) => [
        `line ${line}`,
        ...diffLines('-', before, 1 + commonLength(before[0] ?? '', now[0] ?? '')),
        ...diffLines('+', now, 1 + commonLength(before[0] ?? '', now[0] ?? '')),
      ]),
    ...(more > 0 ? [`… ${plural(more, 'more place')}`] : []),
  ]
}

/** The same, with the equal lines in between. */
export function describeWhole({ offset, line, column, before, now }: Drift): readonly string[] {
  const caret = `  ${' '.repeat(caretColumn(now[0] ?? before[0] ?? '', column))}^`
  const [first = '', ...more] = diffLines('+', now, column)
  return [
    `differs from byte ${offset} on (line ${line}, column ${column})`,
    ...diffLines('-', before, column),
    ...(now.length === 0 ? [caret] : [first, caret, ...more]),
  ]
}

/** Lines that differ without an equal one among them, and the line of the golden file where they begin. */
type Part = Pick<Drift, 'line' | 'before' | 'now'>

const MAX_PARTS = 5
/** Above this product of lines nothing is compared line by line. */
const MAX_PAIRS = 1_000_000

/** Parts a drift at the lines that both sides have, as many as possible (longest common subsequence). Not empty. */
function partsOf({ line, before, now }: Drift): readonly Part[] {
  if (before.length * now.length > MAX_PAIRS) return [{ line, before, now }]
  const common = commonLines(before, now)
  const parts: Part[] = []
  let [left, right] = [0, 0]
  for (const [leftEnd, rightEnd] of [...common, [before.length, now.length] as const]) {
    if (leftEnd > left || rightEnd > right)
      parts.push({ line: line + left, before: before.slice(left, leftEnd), now: now.slice(right, rightEnd) })
    left = leftEnd + 1
    right = rightEnd + 1
  }
  return parts
}

/** The places of equal lines, in order, as many as there can be. */
function commonLines(one: readonly string[], other: readonly string[]): readonly (readonly [number, number])[] {
  const width = other.length + 1
  // How many lines are common from a place of both on.
  const counts = new Uint32Array((one.length + 1) * width)
  const at = (left: number, right: number): number => counts[left * width + right] ?? 0
  for (let left = one.length - 1; left >= 0; left -= 1)
    for (let right = other.length - 1; right >= 0; right -= 1)
      counts[left * width + right] =
        one[left] === other[right] ? at(left + 1, right + 1) + 1 : Math.max(at(left + 1, right), at(left, right + 1))
  const found: (readonly [number, number])[] = []
  let [left, right] = [0, 0]
  while (at(left, right) > 0) {
    if (one[left] === other[right]) found.push([left++, right++])
    else if (at(left + 1, right) >= at(left, right + 1)) left += 1
    else right += 1
  }
  return found
}

/** Each with its line break, so that a missing last one is a difference. */
function byteLines(bytes: Uint8Array): readonly string[] {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function countEqual(left: readonly string[], right: readonly string[]): number {
  let count = 0
  while (count < left.length && count < right.length && left[count] === right[count]) count += 1
  return count
}

function commonLength(left: string, right: string): number {
  const [one, other] = [[...left], [...right]]
  return countEqual(one, other)
}

function diffLines(sign: string, lines: readonly string[], column: number): readonly string[] {
  const kept = lines.slice(0, MAX_LINES).map((line, index) => `${sign} ${window(line, index === 0 ? column : 1)}`)
  const more = lines.length - kept.length
  return more > 0 ? [...kept, `${sign} … ${plural(more, 'more line')}`] : kept
}

/** The part of a long line around the first difference. */
function window(line: string, column: number): string {
  const characters = [...line]
  const from = windowStart(characters.length, column)
  const part = characters.slice(from, from + MAX_COLUMNS).join('')
  const rest = from + MAX_COLUMNS < characters.length ? '…' : ''
  return `${from > 0 ? '…' : ''}${visibleWhiteSpace(part)}${rest}`
}

/** Columns of `window` before the first difference. */
function caretColumn(line: string, column: number): number {
  const characters = [...line]
  const from = windowStart(characters.length, column)
  const before = visibleWhiteSpace(characters.slice(from, column - 1).join(''))
  return displayWidth(before) + (from > 0 ? 1 : 0)
}

function windowStart(length: number, column: number): number {
  return Math.max(0, Math.min(column - 1 - MAX_COLUMNS / 2, length - MAX_COLUMNS))
}
