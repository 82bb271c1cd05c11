import type { ReadNumber } from './read-numbers.ts'

/** What the text between numbers says of them, by their place in the list. */
export interface BetweenNumbers {
  /** Whether it is an operand, an end of a range, one of a list, or one of two that the text leaves open. */
  readonly isNone: readonly boolean[]
  /** In brackets: another spelling of the number before them, or something beside it. Null elsewhere. */
  readonly alternativeOf: readonly ('spelling' | 'aside' | null)[]
  /** Whether nothing but a comma, a line or the like stands before it: it is offered like the number before it. */
  readonly isJoined: readonly boolean[]
}

/** Looks at every stretch between two numbers once. */
export function betweenNumbers(text: string, numbers: readonly ReadNumber[]): BetweenNumbers {
  const gaps = numbers.slice(1).map((number, at) => text.slice(numbers[at]?.end ?? 0, number.start))
  const calculated = gaps.map((gap) => gap.length <= LONGEST_GAP && CALCULATED.test(gap))
  const joined = gaps.map((gap, at) => gap.length <= LONGEST_GAP && calculated[at] !== true && LISTING.test(gap))
  const ranges = gaps.map((gap, at) =>
    isRange(gap, text.slice(Math.max(0, (numbers[at]?.start ?? 0) - 10), numbers[at]?.start)),
  )
  const isOperand = operands(gaps, calculated)
  const isListed = listed(numbers, { gaps, joined })
  return {
    isNone: numbers.map(
      (_, at) => isOperand[at] === true || isListed[at] === true || ranges[at - 1] === true || ranges[at] === true,
    ),
    alternativeOf: numbers.map((number, at) => (at === 0 ? null : inBrackets(text, gaps[at - 1] ?? '', number))),
    isJoined: numbers.map((_, at) => joined[at - 1] === true),
  }
}

/** Longer stretches join nothing. */
const LONGEST_GAP = 40

const UNIT = '[\\p{L}°%$€£¥]{0,10}'
const CALCULATED = new RegExp(
  `^[!)\\]}\\s]{0,4}(?:${UNIT}\\s?(?:\\+|\\*{1,2}|×|÷|·|\\^|\\splus\\s|\\sminus\\s|\\stimes\\s|\\sless\\s|multiplied by|divided by|乘以?|除以|加上?|减去?|\\s-\\s)|[*/]{1,2}|\\s/\\s|\\s?x\\s?(?=[({$]?$))[({\\s$€£¥-]{0,4}$`,
  'u',
)

/** Both sides of an operator; of a hyphen between digits only beside another operator. */
function operands(gaps: readonly string[], joins: readonly boolean[]): readonly boolean[] {
  const isOperand = Array.from({ length: gaps.length + 1 }, (_, at) => joins[at - 1] === true || joins[at] === true)
  const hyphens = gaps.map((gap) => gap === '-')
  for (let at = 0; at < gaps.length; at += 1)
    if (hyphens[at] === true && isOperand[at] === true) isOperand[at + 1] = true
  for (let at = gaps.length - 1; at >= 0; at -= 1)
    if (hyphens[at] === true && isOperand[at + 1] === true) isOperand[at] = true
  return isOperand
}

function isRange(gap: string, before: string): boolean {
  if (gap.length > LONGEST_GAP) return false
  if (/^\s?(?:\.{2,3}|~|to|through|until|till|到|至)\s?$/.test(gap)) return true
  return /^\s?(?:and|和|与)\s?$/.test(gap) && /(?:\bbetween|介于|在)\s?$/i.test(before)
}

const LISTING =
  /^(?:[\s,;、|/•·*&"'[\]-]|\b(?:and|or|maybe|perhaps|possibly|then)\b|\.{3}|或者?|和|及|以及|还是|也许|可能){1,16}$/
const OPEN = /\b(?:or|and|maybe|perhaps|possibly)\b|&|[或和及]|还是|也许|可能/
/** So many different numbers in a row are a list; of two that are joined by "or" or "and" neither is offered. */
const FEWEST_LISTED = 3

function listed(
  numbers: readonly ReadNumber[],
  { gaps, joined }: { readonly gaps: readonly string[]; readonly joined: readonly boolean[] },
): readonly boolean[] {
  const isListed = numbers.map(() => false)
  let first = 0
  for (let at = 0; at < numbers.length; at += 1) {
    if (joined[at] === true) continue
    const different = new Set(numbers.slice(first, at + 1).map(({ values }) => values[0])).size
    const isOpen = different === 2 && gaps.slice(first, at).some((gap) => OPEN.test(gap))
    if (different >= FEWEST_LISTED || isOpen) isListed.fill(true, first, at + 1)
    first = at + 1
  }
  return isListed
}

const BEFORE = 80
const SPELLED = /^\(\s?(?:≈|~|=|about|approximately|approx\.?|roughly|i\.e\.,?|or|约|即|也就是)?\s?$/

/** Only brackets behind a number, on the same line, say something about it. */
function inBrackets(text: string, gap: string, number: ReadNumber): 'spelling' | 'aside' | null {
  const before = text.slice(Math.max(0, number.start - BEFORE), number.start)
  const open = before.lastIndexOf('(')
  if (open < 0 || before.lastIndexOf(')') > open || before.includes('\n', open)) return null
  const behind = text.slice(number.end, number.end + LONGEST_GAP)
  const isAlone = SPELLED.test(before.slice(open)) && /^\s?[^\s\d()]{0,12}(?:\s[^\s\d()]{1,12})?\s?\)/.test(behind)
  // What opens behind the last number is about that one.
  return isAlone ? (/^[^\n.;!?]{0,20}\(/.test(gap) ? 'spelling' : null) : 'aside'
}
