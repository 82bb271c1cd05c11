/**
 * A time under a format of C, in UTC and in English, as `datetime.strftime` writes a time without a zone: `%Z` and `%z`
 * are empty. A flag `-` drops padding, `_` pads with spaces, `0` with zeros, `^` makes letters large; a directive that
 * nobody knows stays as it is.
 */
export function strftime(format: string, time: Date): string {
  return format.replace(/%([-_0^#]?)([a-zA-Z%])/g, (whole, flag: string, directive: string) => {
    const text = Object.hasOwn(DIRECTIVES, directive) ? DIRECTIVES[directive]?.(time) : undefined
    return text === undefined ? whole : flagged(text, flag)
  })
}

function flagged(text: string, flag: string): string {
  if (flag === '^') return text.toUpperCase()
  const digits = /^[ 0]*(\d+)$/.exec(text)?.[1]
  if (digits === undefined || flag === '' || flag === '#') return text
  const bare = digits.replace(/^0+(?=\d)/, () => '')
  return flag === '-' ? bare : bare.padStart(text.length, flag === '_' ? ' ' : '0')
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

const DIRECTIVES: Readonly<Record<string, (time: Date) => string>> = {
  a: (time) => dayName(time).slice(0, 3),
  A: dayName,
  b: (time) => monthName(time).slice(0, 3),
  B: monthName,
  c: (time) => strftime('%a %b %e %H:%M:%S %Y', time),
  C: (time) => two(Math.floor(time.getUTCFullYear() / 100)),
  d: (time) => two(time.getUTCDate()),
  D: (time) => strftime('%m/%d/%y', time),
  e: (time) => String(time.getUTCDate()).padStart(2),
  f: (time) => String(time.getUTCMilliseconds() * 1000).padStart(6, '0'),
  F: (time) => strftime('%Y-%m-%d', time),
  g: (time) => two(isoWeek(time).year % 100),
  G: (time) => String(isoWeek(time).year),
  h: (time) => monthName(time).slice(0, 3),
  H: (time) => two(time.getUTCHours()),
  I: (time) => two(hour12(time)),
  j: (time) => String(dayOfYear(time) + 1).padStart(3, '0'),
  k: (time) => String(time.getUTCHours()).padStart(2),
  l: (time) => String(hour12(time)).padStart(2),
  m: (time) => two(time.getUTCMonth() + 1),
  M: (time) => two(time.getUTCMinutes()),
  n: () => '\n',
  p: (time) => (time.getUTCHours() < 12 ? 'AM' : 'PM'),
  P: (time) => (time.getUTCHours() < 12 ? 'am' : 'pm'),
  r: (time) => strftime('%I:%M:%S %p', time),
  R: (time) => strftime('%H:%M', time),
  s: (time) => String(Math.floor(time.getTime() / 1000)),
  S: (time) => two(time.getUTCSeconds()),
  t: () => '\t',
  T: (time) => strftime('%H:%M:%S', time),
  u: (time) => String(time.getUTCDay() === 0 ? 7 : time.getUTCDay()),
  U: (time) => two(Math.floor((dayOfYear(time) + 7 - time.getUTCDay()) / 7)),
  V: (time) => two(isoWeek(time).week),
  w: (time) => String(time.getUTCDay()),
  W: (time) => two(Math.floor((dayOfYear(time) + 7 - ((time.getUTCDay() + 6) % 7)) / 7)),
  x: (time) => strftime('%m/%d/%y', time),
  X: (time) => strftime('%H:%M:%S', time),
  y: (time) => two(time.getUTCFullYear() % 100),
  Y: (time) => String(time.getUTCFullYear()),
  z: () => '',
  Z: () => '',
  '%': () => '%',
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function dayName(time: Date): string {
  return DAYS[time.getUTCDay()] ?? ''
}

function monthName(time: Date): string {
  return MONTHS[time.getUTCMonth()] ?? ''
}

function hour12(time: Date): number {
  return time.getUTCHours() % 12 === 0 ? 12 : time.getUTCHours() % 12
}

const DAY = 86_400_000

/** From 0 on. */
function dayOfYear(time: Date): number {
  return Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / DAY)
}

/** The week of ISO 8601, which belongs to the year of its Thursday. */
function isoWeek(time: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(time.getTime() + (4 - (time.getUTCDay() === 0 ? 7 : time.getUTCDay())) * DAY)
  return { year: thursday.getUTCFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 }
}
