import { failed, number, text } from './tool.ts'
import type { Tool, ToolEffect } from './tool.ts'
import { NOW } from './world.ts'

const DAY = 86_400_000
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

export const getTime: Tool = () => ({ result: { now: NOW } })

export const dateAdd: Tool = (args) => {
  const start = dayNumber(text(args, 'date'))
  if (start === null) return notADate(text(args, 'date'))
  const date = isoDate(start + number(args, 'days'))
  return date === null ? failed('out_of_range', 'the date is outside the years 1 to 9999') : { result: { date } }
}

export const weekday: Tool = (args) => {
  const day = dayNumber(text(args, 'date'))
  if (day === null) return notADate(text(args, 'date'))
  const index = (((day + 4) % 7) + 7) % 7 // 1970-01-01 was a Thursday
  return { result: { weekday: WEEKDAYS[index], index } }
}

export const daysBetween: Tool = (args) => {
  const start = dayNumber(text(args, 'start'))
  if (start === null) return notADate(text(args, 'start'))
  const end = dayNumber(text(args, 'end'))
  if (end === null) return notADate(text(args, 'end'))
  return { result: { days: end - start } }
}

function notADate(given: string): ToolEffect {
  return failed('bad_date', `not a date of the form YYYY-MM-DD: ${given}`)
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar; null when the text is no such date. */
function dayNumber(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null
  const time = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(time)) return null
  const day = Math.round(time / DAY)
  // Engines differ on 2025-02-30; a date that does not come back unchanged is no date.
  return isoDate(day) === date ? day : null
}

function isoDate(day: number): string | null {
  const date = new Date(day * DAY)
  if (Number.isNaN(date.getTime())) return null
  const iso = date.toISOString()
  return /^\d{4}-/.test(iso) ? iso.slice(0, 10) : null
}
