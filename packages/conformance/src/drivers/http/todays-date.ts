const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]
const MONTH = MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')

/** The ways in which chat templates spell a day. */
const DATE = new RegExp(
  String.raw`\b(?:\d{4}-\d{2}-\d{2}|\d{1,2} (?:${MONTH}) \d{4}|(?:${MONTH}) \d{1,2}, \d{4})\b`,
  'g',
)

const DAY_MS = 86_400_000

/** A prompt with the dates of another one in the places of today's, and which of them it got. */
export interface Dated {
  readonly text: string
  readonly replaced: readonly string[]
}

/**
 * The prompt as it would be on the day of `right`: each date in it that is today's, wherever its server lives, becomes the one that
 * stands in its place in `right`. Where the two have not as many dates, nothing changes.
 */
export function withDatesOf(right: string, text: string, now: Date): Dated {
  const wanted = right.match(DATE) ?? []
  const got = text.match(DATE) ?? []
  if (wanted.length !== got.length) return { text, replaced: [] }
  const todays = new Set([-1, 0, 1].flatMap((days) => spellings(new Date(now.getTime() + days * DAY_MS))))
  const replaced: string[] = []
  let at = -1
  const dated = text.replace(DATE, (date) => {
    at += 1
    const other = wanted[at] ?? date
    if (other === date || !todays.has(date)) return date
    replaced.push(other)
    return other
  })
  return { text: dated, replaced }
}

function spellings(day: Date): readonly string[] {
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()]
  const names = [MONTHS[month] ?? '', (MONTHS[month] ?? '').slice(0, 3)]
  const numbers = [String(date), String(date).padStart(2, '0')]
  const inWords = names.flatMap((name) =>
    numbers.flatMap((number) => [`${number} ${name} ${year}`, `${name} ${number}, ${year}`]),
  )
  return [day.toISOString().slice(0, 10), ...inWords]
}
