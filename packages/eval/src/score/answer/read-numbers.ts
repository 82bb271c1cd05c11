/** A number in a text that `plainAnswer` gave. */
export interface ReadNumber {
  /** What it may mean: itself; behind a percent sign its hundredth as well. */
  readonly values: readonly number[]
  /** Where it begins, its sign and currency included, and where its digits end. */
  readonly start: number
  readonly end: number
  /** Where its digits begin. */
  readonly digits: number
}

/** Thousands in commas, apostrophes, underscores; points between thousands only where a comma or a second point shows it. */
const NUMBER =
  /(?:(?<!\d)\d{1,3}(?:\.\d{3})+,\d{1,6}(?![\d,])|(?<!\d)\d{1,3}(?:\.\d{3}){2,}(?![\d.])|(?:(?<!\d)\d{1,3}(?:(?:[,'’_]\d{3})+|(?:\u0020\d{3}(?!\d))+)(?!\d)|\d+)(?:\.\d+)?|(?<![\w.])\.\d+)(?:e[+-]?\d{1,3}(?![\w.]))?(?:\s?[×x*]\s?10\s?\^\s?\{?[+-]?\d{1,3}\}?)?/g

/** All numbers of a text, in their order. Linear. */
export function readNumbers(text: string): readonly ReadNumber[] {
  const found: ReadNumber[] = []
  for (const match of text.matchAll(NUMBER)) {
    const digits = match.index
    const end = digits + match[0].length
    const { isNegative, start } = signOf(text, { digits, from: found.at(-1)?.end ?? 0 })
    const size = sizeOf(match[0]) * multiplierOf(text.slice(end, end + 12))
    const value = isNegative ? -size : size
    found.push({ values: /^\s?%/.test(text.slice(end, end + 2)) ? [value, value / 100] : [value], start, end, digits })
  }
  return found
}

function sizeOf(text: string): number {
  const [, head = '', power] = /^(.*?)(?:\s?[×x*]\s?10\s?\^\s?\{?([+-]?\d{1,3})\}?)?$/.exec(text) ?? []
  const isPointed = /^\d{1,3}(?:\.\d{3})+,/.test(head) || /^\d{1,3}(?:\.\d{3}){2,}$/.test(head)
  const plain = isPointed ? head.replaceAll('.', '').replace(',', '.') : head.replaceAll(/[,'’_\u0020]/g, '')
  return Number(plain) * (power === undefined ? 1 : 10 ** Number(power))
}

const MULTIPLIERS: readonly (readonly [RegExp, number])[] = [
  [/^\s?万/, 1e4],
  [/^\s?亿/, 1e8],
  [/^\sthousand\b/, 1e3],
  [/^\smillion\b/, 1e6],
  [/^\sbillion\b/, 1e9],
]

function multiplierOf(behind: string): number {
  return MULTIPLIERS.find(([pattern]) => pattern.test(behind))?.[1] ?? 1
}

const CURRENCY = '(?:[$€£¥₹₩]|(?:us|hk|nt|ca|a|c)\\$|(?<![a-z])(?:usd|eur|cny|rmb|jpy|gbp|hkd|rs\\.?)\\s?)'
/** A sign right before the number, or behind a word or mark that has a number to follow. */
const SIGNED = new RegExp(
  `(?:(?<![\\w)\\]}%.])-|(?:=|≈|:|\\(|\\b(?:is|are|was|equals|get|to)|是|为|等于|得到?)\\s{0,2}-\\s|\\b(?:minus|negative)\\s{1,2}|负\\s?)${CURRENCY}?$`,
)
const UNSIGNED = new RegExp(`${CURRENCY}-?$`)
/** `1776 -129`: then the sign is one of a calculation. */
const BEHIND_NUMBER = /[\d)]\s{0,2}(?:-|minus\s{1,2})[^-]{0,4}$/
const SIGN_WINDOW = 24

function signOf(
  text: string,
  { digits, from }: { readonly digits: number; readonly from: number },
): { readonly isNegative: boolean; readonly start: number } {
  const before = text.slice(Math.max(0, digits - SIGN_WINDOW), digits)
  const currency = UNSIGNED.exec(before)
  const signed = SIGNED.exec(before)
  const start = digits - (signed?.[0].length ?? currency?.[0].length ?? 0)
  const isSigned = signed !== null || currency?.[0].endsWith('-') === true
  return { isNegative: isSigned && !BEHIND_NUMBER.test(before), start: Math.max(from, start) }
}
