import type { PyDict } from '@callspec/python'
import { Refusal } from './conversation.ts'

export interface Day {
  readonly year: number
  /** 1 for January. */
  readonly month: number
  readonly day: number
}

/**
 * The day of a prompt that names one: the option `date` or `now`, such as `2026-01-02`. Null without them: the clock is never
 * read, so the same input gives the same prompt.
 *
 * @throws Refusal for a date of another form
 */
export function dayOf(options: PyDict): Day | null {
  const given = options.get('date') ?? options.get('now') ?? null
  if (given === null) return null
  const match = typeof given === 'string' ? /^(\d{4})-(\d\d)-(\d\d)(?:$|[T ])/.exec(given) : null
  const [year, month, day] = (match ?? []).slice(1).map(Number)
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12)
    throw new Refusal('the date is not of the form 2026-01-02')
  return { year, month, day }
}

/** The time of the option `now`, such as `15:09:26` of `2026-01-02T15:09:26`; midnight where it has none. */
export function timeOf(options: PyDict): string {
  const given = options.get('date') ?? options.get('now') ?? null
  const match = typeof given === 'string' ? /^.{10}[T ](\d\d:\d\d:\d\d)/.exec(given) : null
  return match?.[1] ?? '00:00:00'
}

/** 0 for Sunday. */
export function weekdayOf({ year, month, day }: Day): number {
  // Years that begin in March: a leap day is the last day of one.
  const shifted = month < 3 ? year - 1 : year
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  return (shifted + leapDays + (MONTH_STARTS[month - 1] ?? 0) + day) % 7
}

/** Weekdays of the first of each month, in a year that begins with March. */
const MONTH_STARTS = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]

export function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/** The English name of a month, 1 for January. */
export function monthName(month: number): string {
  return MONTHS[month - 1] ?? ''
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
