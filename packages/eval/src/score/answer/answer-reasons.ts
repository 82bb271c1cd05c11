import { bounded } from '../../text/bounded.ts'
import type { ExpectedAnswer } from '../../trace/task.ts'
import { isNegated } from './negation.ts'
import { offeredNumber } from './offered-number.ts'

/** What an answer lacks; empty for nothing. `question`: what was asked, as far as it is known. */
export function answerReasons(answer: ExpectedAnswer, final: string, question = ''): readonly string[] {
  const text = final.normalize('NFKC')
  if (text.trim() === '') return ['no_final_answer']
  const { num, tol = 1e-9, re, all = [] } = answer
  const isOffered = (wanted: number): boolean =>
    offeredNumber(final, question)?.some((value) => Math.abs(value - wanted) <= tol) === true
  return [
    ...(num !== undefined && !isOffered(num) ? ['answer_num'] : []),
    ...(re === undefined ? [] : patternReasons(text, re)),
    ...(all.some((part) => !contains(text.toLowerCase(), part.normalize('NFKC').toLowerCase())) ? ['answer_all'] : []),
  ]
}

/** A pattern without groups and repeats is linear in the text. Any other may take for ever, and suites come from other people. */
function patternReasons(text: string, pattern: string): readonly string[] {
  const isFound = /[(*+?{]/.test(pattern) ? bounded(pattern, () => says(text, pattern)) : says(text, pattern)
  if (isFound === null) return [PATTERN_LIMIT]
  return isFound ? [] : ['answer_re']
}

/** The reason where an expression of the suite needs more time or memory than it may: the answer is not known to be wrong. */
export const PATTERN_LIMIT = 'answer_re_limit'

/** Whether a pattern is met where nothing negates it. Where it is written with a digit at an edge, no number is cut there. */
function says(text: string, pattern: string): boolean {
  const [beginsInDigit, endsInDigit] = [/(?:^|\|)\(?\d/.test(pattern), /\d\)?(?:$|\|)/.test(pattern)]
  for (const match of text.matchAll(new RegExp(pattern, 'gi'))) {
    const [start, end] = [match.index, match.index + match[0].length]
    if (beginsInDigit && cutsBefore(text, start)) continue
    if (endsInDigit && cutsBehind(text, end)) continue
    if (!isNegated(text, { start, end })) return true
  }
  return false
}

/** Whether a text holds a part where nothing negates it; a number not inside of another one, nor behind a minus. */
function contains(text: string, part: string): boolean {
  if (part === '') return true
  const isNumber = /^\d+(?:\.\d+)?$/.test(part)
  const plain = isNumber ? text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '') : text
  for (let at = plain.indexOf(part); at >= 0; at = plain.indexOf(part, at + part.length)) {
    const end = at + part.length
    if (isNumber && (cutsBefore(plain, at) || isNegative(plain, at))) continue
    const zeros = isNumber
      ? (part.includes('.') ? /^0*/ : /^(?:\.0+(?!\d))?/).exec(plain.slice(end, end + ZEROS))
      : null
    if (isNumber && cutsBehind(plain, end + (zeros?.[0].length ?? 0))) continue
    if (!isNegated(plain, { start: at, end })) return true
  }
  return false
}

/** So many zeros behind a number change nothing. */
const ZEROS = 8

function cutsBefore(text: string, at: number): boolean {
  return /\d$|\d\.$/.test(text.slice(Math.max(0, at - 2), at)) && /\d/.test(text[at] ?? '')
}

function cutsBehind(text: string, end: number): boolean {
  return /\d/.test(text[end - 1] ?? '') && /^(?:\d|\.\d)/.test(text.slice(end, end + 2))
}

function isNegative(text: string, at: number): boolean {
  return /(?:^|[\s(=:])[-\u2212]$/.test(text.slice(Math.max(0, at - 2), at))
}
