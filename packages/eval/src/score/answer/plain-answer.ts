/** Answers stand at the end; what comes before so many characters is not looked at, so that no reply is dear to judge. */
const LONGEST = 20_000

/**
 * A text as its numbers are read from it: half-width, in small letters, one sign for minus, without the marks of Markdown and LaTeX, and with
 * what is no quantity (dates, times, versions, links, struck-out words) taken out. Places in it are not those of the original.
 */
export function plainAnswer(text: string): string {
  const tail = text.slice(-LONGEST)
  const spelled = /[\\\u2009\u00a0\u202f\u2007⁰¹²³⁴-⁹]/.test(tail) ? withoutLatex(withoutSpacing(tail)) : tail
  const plain = withoutMarks(spelled.normalize('NFKC'))
  const quantities = HINTS.test(plain) ? plain.replaceAll(NO_QUANTITY, (found) => '□'.repeat(found.length)) : plain
  return quantities.toLowerCase()
}

function withoutMarks(text: string): string {
  return /[\u2010-\u2013\u2212~*_`]/.test(text)
    ? MARKS.reduce((plain, [pattern, instead]) => plain.replaceAll(pattern, () => instead), text)
    : text
}

const SUPERSCRIPT = /[⁰¹²³⁴-⁹]{1,4}/g
/** The spaces that some put between thousands. */
const THIN_SPACE = /(?<=\d)[\u2009\u00a0\u202f\u2007](?=\d{3}(?!\d))/g

function withoutSpacing(text: string): string {
  return text.replaceAll(SUPERSCRIPT, (digits) => `^${digits.normalize('NFKC')}`).replaceAll(THIN_SPACE, () => '')
}

const LATEX: readonly (readonly [RegExp, string])[] = [
  [/\{,\}|\\[,!](?=\d{3})/g, ','],
  [/\{-\}/g, '-'],
  [/\\(?:times|cdot)(?![a-z])/g, '×'],
  [/\\div(?![a-z])/g, '÷'],
  [/\\approx(?![a-z])/g, '≈'],
  [/\\[,;:! ]/g, ' '],
  [/\\([%$#])/g, ''],
  [/\\(?:text|textbf|mathrm|mathbf|bf|displaystyle|left|right)(?![a-z])\s?\{?/g, ''],
]

function withoutLatex(text: string): string {
  return LATEX.reduce((plain, [pattern, instead]) => plain.replaceAll(pattern, () => instead), text).replaceAll(
    /\\[dt]?frac\s?\{([^{}\n]{1,40})\}\s?\{([^{}\n]{1,40})\}/g,
    (_, over: string, under: string) => `${over}/${under}`,
  )
}

const MARKS: readonly (readonly [RegExp, string])[] = [
  [/[\u2212\u2010\u2011\u2012]/g, '-'],
  // An en dash right before a number, with nothing before it, is how some write a minus.
  [/(?<![^\s(=:])\u2013(?=[$€£¥]?\d)/g, '-'],
  [/~~[^~\n]{1,200}~~/g, ' □ '],
  [/\*\*(?!\d)|(?<!\d)\*\*|__|`/g, ''],
]

const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?'

/** What is no quantity holds one of these; most answers hold none. */
const HINTS = /:\/\/|\d[-:.]\d|[年月]|[vV]\d|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec/

/** Dates, times, ratios, versions, addresses. */
const NO_QUANTITY = new RegExp(
  [
    'https?:\\/\\/\\S{1,300}',
    '\\d{4}-\\d{1,2}-\\d{1,2}(?:[T ]\\d{1,2}:\\d{2}(?::\\d{2})?(?:\\.\\d{1,9})?Z?)?',
    '\\d{1,2}:\\d{2}(?::\\d{2})?(?!\\d)',
    '\\d{4}年\\d{1,2}月(?:\\d{1,2}[日号])?|\\d{1,2}月\\d{1,2}[日号]',
    `\\b${MONTH}\\s\\d{1,2}(?:st|nd|rd|th)?(?:,?\\s\\d{4})?(?![\\d.])`,
    `\\d{1,2}(?:st|nd|rd|th)?\\s${MONTH}(?:,?\\s\\d{4})?\\b`,
    '\\b[vV]\\d{1,4}(?:\\.\\d{1,6}){1,3}',
    '(?<![\\d.,])\\d{1,3}(?:\\.\\d{1,3}){3}(?![\\d.,])',
  ].join('|'),
  'g',
)
